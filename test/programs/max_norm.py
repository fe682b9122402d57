"""Rows renormalised to a greatest length."""

import torch


def max_norm(x):
    return torch.renorm(x, 2, 0, 1.0)


def get_inputs():
    return [torch.randn(24, 40)]
