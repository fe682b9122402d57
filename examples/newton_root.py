"""Cube roots by a fixed number of Newton steps."""

import torch


def newton_root(x, steps=80):
    y = x.abs() + 1
    for _ in range(steps):
        y = y - (y * y * y - x) / (3 * y * y)
    return y


def get_inputs():
    return [torch.rand(1000) + 0.1]
