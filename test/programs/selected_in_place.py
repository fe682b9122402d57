"""Selected elements changed in place under two names; the tensor that they come from stays."""

import torch


def f(x, w):
    m = x > -0.5
    y = x[m]
    z = y
    y *= 2
    x = x + 1
    y -= 0.5
    t = x.clone()
    t[m] *= 3
    t[m] = t[m] - 1
    return z.sum(), y.mean(), t, (z * z).sum()


def get_inputs():
    return [torch.randn(4, 5), torch.randn(3)]
