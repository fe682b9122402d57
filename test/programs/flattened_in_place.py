"""A copy that is written to through a view of it, whose gradient needs no more of the input than its shape."""

import torch


def flattened(x):
    y = x.clone()
    z = y.flatten()
    z.mul_(2)
    return z


def get_inputs():
    return [torch.randn(2, 6)]
