"""Augmentation of byte images: brightness, contrast about the mean grey, saturation, then normalisation."""
# program: colour_jitter_normalize
# only forward

import torch


def blend(image1, image2, ratio):
    return (ratio * image1 + (1.0 - ratio) * image2).clamp(0.0, 1.0)


def rgb_to_grayscale(image):
    r, g, b = image.unbind(dim=-3)
    return (0.2989 * r + 0.587 * g + 0.114 * b).unsqueeze(dim=-3)


def colour_jitter_normalize(images, brightness, contrast, saturation, mean, std):
    x = images.float() / 255.0
    x = blend(x, torch.zeros_like(x), brightness[:, None, None, None])
    grey_mean = rgb_to_grayscale(x).mean(dim=(-3, -2, -1), keepdim=True)
    x = blend(x, grey_mean, contrast[:, None, None, None])
    x = blend(x, rgb_to_grayscale(x), saturation[:, None, None, None])
    return ((x - mean[:, None, None]) / std[:, None, None]).half()


def get_inputs():
    batch = 150
    images = torch.randint(0, 256, (batch, 3, 900, 1200), dtype=torch.uint8)
    brightness, contrast, saturation = torch.rand(batch) + 0.5, torch.rand(batch) + 0.5, torch.rand(batch) + 0.5
    return [images, brightness, contrast, saturation, torch.rand(3), torch.rand(3) + 0.1]
