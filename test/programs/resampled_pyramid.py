"""A pyramid of images, resampled in several ways: each gradient gathers what an element has a share in."""

import torch
import torch.nn.functional as F


def resampled_pyramid(x):
    larger = F.interpolate(x, scale_factor=2.0, mode="bilinear")
    aligned = F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=True)
    fixed = F.interpolate(x, size=(7, 9), mode="bicubic")
    smaller = F.interpolate(x, scale_factor=0.4, mode="bilinear")
    nearest = F.interpolate(x, scale_factor=1.5, mode="nearest")
    return larger, aligned, fixed, smaller, nearest


def get_inputs():
    return [torch.randn(2, 3, 10, 12)]
