"""Scales each column to the range 0 to 1."""

import torch


def min_max_scale(x, eps=1e-12):
    low = x.min(dim=0, keepdim=True).values
    high = x.max(dim=0, keepdim=True).values
    return (x - low) / (high - low + eps)


def get_inputs():
    return [torch.randn(512, 96)]
