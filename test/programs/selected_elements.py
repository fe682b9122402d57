"""Folds of what a mask selects: x[mask].mean() and its kin."""

import torch


def f(x, y, w):
    m = x > 0
    a = x[m].mean()
    b = x[m].sum()
    c = (x[m] - y[m]).pow(2).sum() / m.sum()
    d = x[m].numel()
    e = torch.log(x[m]).mean()
    g = x[m].std()
    h = x[m].max()
    i = (x[x > 0] > 0.5).float().mean()
    j = torch.sqrt(x[m]).sum() + (1 / x[m]).mean()
    k = y[x > 0].abs().amin()
    l = (x[m] == y[m]).any()
    n = x[m].var(unbiased=False)
    return a, b, c, e, g, h, i, j, k, l, n, d * 1.0 * a


def get_inputs():
    return [torch.randn(4, 6), torch.randn(4, 6), torch.randn(3)]
