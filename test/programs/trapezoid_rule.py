"""Integrals by the trapezoid rule."""

import torch


def trapezoid_rule(x):
    return torch.trapezoid(x, dx=0.5), torch.cumulative_trapezoid(x)


def get_inputs():
    return [torch.randn(5, 9)]
