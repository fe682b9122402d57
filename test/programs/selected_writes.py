"""What a mask selects, changed and written back through it."""

import torch


def f(x, m, t):
    y = x[m]
    z = y * 3 + 1
    x2 = x.clone()
    x2[m] = z
    x2[m] += 1.0
    x2[~m] = 0
    return x2, torch.masked_select(x, t > 0).sum()


def get_inputs():
    return [torch.randn(4, 5), torch.rand(4, 5) > 0.5, torch.randn(5)]
