"""Brightness, saturation and contrast."""

# program: color_jitter

import torch


def _blend(img1, img2, ratio: float):
    ratio = float(ratio)
    bound = 1.0 if img1.is_floating_point() else 255.0
    return (ratio * img1 + (1.0 - ratio) * img2).clamp(0, bound).to(img1.dtype)


def rgb_to_grayscale(img, num_output_channels: int = 1):
    r, g, b = img.unbind(dim=-3)
    l_img = (0.2989 * r + 0.587 * g + 0.114 * b).to(img.dtype)
    l_img = l_img.unsqueeze(dim=-3)
    if num_output_channels == 3:
        return l_img.expand(img.shape)
    return l_img


def color_jitter(img, brightness: float = 1.2, saturation: float = 0.7, contrast: float = 1.1):
    img = _blend(img, torch.zeros_like(img), brightness)
    img = _blend(img, rgb_to_grayscale(img), saturation)
    mean = torch.mean(rgb_to_grayscale(img).to(torch.float32), dim=(-3, -2, -1), keepdim=True)
    return _blend(img, mean, contrast), 255 - (img * 255).to(torch.uint8)


def get_inputs():
    return [torch.rand(2, 3, 6, 5)]
