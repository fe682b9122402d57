"""Branches on the values of tensors: what arms leave, return, skip and write."""

import torch


def stretched(x, floor):
    if x.max() > floor:
        return x / x.max(), 1
    return x.exp(), 0


def f(x, y):
    if torch.isnan(y).any():
        y = torch.nan_to_num(y)
    # Never: an infinite derivative, of which the gradient must not hear.
    size = (y * 0).square().sum().sqrt()
    if size > 1e-3:
        y = y / size
        if y.sum() < 0:
            y = y * y.abs().log()
    first, taken = stretched(x, 0.5)
    second, _ = stretched(y, 1e9)
    scale = 2.0 if x.sum().item() > 0 and not x.min() > 0 else 0.5
    written = torch.zeros_like(x)
    if (x > 1).any():
        written[:, 0] = x[:, 0].exp()
        written += 1
    elif 0 < x.mean() < 1:
        written -= y
    kept = 0
    for row in x.unbind(0):
        if not (row > 0.5).any():
            continue
        kept = kept + 1
        y = y + row
    halved = x
    for _ in range(3):
        halved = halved * 0.5 + 1
        if halved.abs().max() < 2:
            break
    return first, second, taken, x * scale, written * y, kept, halved


def get_inputs():
    return [torch.randn(4, 6), torch.randn(4, 6)]
