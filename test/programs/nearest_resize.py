"""Nearest resizing by sizes and factors."""

import torch
import torch.nn.functional as F


def nearest_resize(x):
    return (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, size=(5, 7)),
        F.interpolate(x, scale_factor=3.0, mode="nearest-exact"),
        F.interpolate(x, scale_factor=0.5),
        F.interpolate(x, size=(5, 7), mode="nearest-exact"),
    )


def get_inputs():
    return [torch.randn(2, 3, 8, 10)]
