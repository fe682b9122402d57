"""A parameter that is given by position alone."""

import torch


def positional_only(x, /, y, *, scale: float = 2.0):
    return torch.tanh(x) * y * scale


def get_inputs():
    return [torch.randn(3, 4), torch.randn(4)]
