"""A Kaiser window by a Bessel function."""

import torch


def bessel_window(x):
    return torch.i0(8.0 * torch.sqrt((1 - x * x).clamp(min=0))) / torch.i0(torch.tensor(8.0))


def get_inputs():
    return [torch.rand(6, 11) * 2 - 1]
