"""Pixels normalised over channels."""

import torch


def pixel_norm(x, eps=1e-8):
    return x * torch.rsqrt(torch.mean(x**2, dim=1, keepdim=True) + eps)


def get_inputs():
    return [torch.randn(2, 5, 8, 6)]
