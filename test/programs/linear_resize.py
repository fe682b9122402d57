"""Sequences resized linearly."""

import torch
import torch.nn.functional as F


def linear_resize(x):
    return F.interpolate(x, scale_factor=2, mode="linear", align_corners=False)


def get_inputs():
    return [torch.randn(2, 3, 9)]
