"""Bicubic resizing."""

import torch
import torch.nn.functional as F


def bicubic_resize(x):
    return F.interpolate(x, size=(13, 4), mode="bicubic")


def get_inputs():
    return [torch.randn(2, 3, 8, 10)]
