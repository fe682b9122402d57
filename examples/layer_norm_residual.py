"""Adds a residual and normalises the sum; both are returned."""

import torch
import torch.nn.functional as F


def layer_norm_residual(x, residual, weight, bias):
    total = x + residual
    return F.layer_norm(total, (total.shape[-1],), weight, bias), total


def get_inputs():
    return [
        torch.randn(32, 512),
        torch.randn(32, 512),
        torch.randn(512),
        torch.randn(512),
    ]
