"""Rounding with a straight-through gradient."""

import torch


def straight_through(x):
    return x + (torch.round(x) - x).detach()


def get_inputs():
    return [torch.randn(4, 16) * 3]
