"""Extremes of rows with NaN have no gradient that is a number, and infinite gradients reach all of a row."""

import torch


def f(x, y):
    return (
        x.amax(-1),
        x.amin(0),
        (1 / (y - y.amax(-1, keepdim=True)).exp()).sum(-1),
        torch.sqrt(y.amin(-1) - y.amin(-1)) * 2,
    )


def get_inputs():
    x = torch.randn(4, 6)
    x[1, 2] = torch.nan
    x[2, 3] = torch.inf
    x[2, 4] = torch.inf
    x[3, 0] = -torch.inf
    return [x, torch.randn(3, 5)]
