"""Normal quantiles by the inverse error function."""

import torch


def inverse_erf(x):
    return torch.erfinv(2 * x - 1) * 2**0.5


def get_inputs():
    return [torch.rand(6, 11) * 0.9 + 0.05]
