"""Scans along every axis, of narrow integers and bools."""

import torch


def f(x, i):
    return (
        x.cumsum(0),
        x.cumsum(-2, dtype=torch.float64),
        x.cumprod(dim=-1),
        x.cummax(0),
        x.cummin(dim=-1).values,
        x.logcumsumexp(1),
        i.cumsum(-1),
        i.cumprod(0),
        (i > 0).cumsum(-1),
        i.cumsum(-1, dtype=torch.int8),
        x.flip(-1).cumsum(-1).flip(-1),
        torch.cumulative_trapezoid(x, dim=-1),
        torch.cumsum(x[..., ::2], -1),
    )


def get_inputs():
    return [torch.randn(3, 4, 6), torch.randint(-3, 4, (3, 5), dtype=torch.int32)]
