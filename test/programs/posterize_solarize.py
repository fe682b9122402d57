"""AutoAugment's integer operators on bytes."""

# no gradient: no argument needs

# program: posterize_solarize

import torch


def _blend(img1, img2, ratio: float):
    bound = 255.0 if not img1.is_floating_point() else 1.0
    return (ratio * img1 + (1.0 - ratio) * img2).clamp(0, bound).to(img1.dtype)


def posterize_solarize(img: torch.Tensor, bits: int = 4, threshold: int = 128):
    if img.dtype != torch.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")
    mask = -int(2 ** (8 - bits))
    post = img & mask
    inverted = 255 - img
    sol = torch.where(img >= threshold, inverted, img)
    gray = (0.2989 * img[..., 0:1, :, :] + 0.587 * img[..., 1:2, :, :] + 0.114 * img[..., 2:3, :, :]).to(img.dtype)
    mean = torch.mean(gray.to(torch.float32), dim=(-3, -2, -1), keepdim=True)
    return post, sol, _blend(img, gray.expand(img.shape), 0.3), _blend(img, mean, 1.4)


def get_inputs():
    return [torch.randint(0, 256, (2, 3, 4, 5), dtype=torch.uint8)]
