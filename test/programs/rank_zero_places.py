"""Writes to numbers, and sums where a mask says."""

import torch


def rank_zero_places(x, index, values, mask):
    a = x[0, 0]
    return (
        a.scatter(0, index[0] * 0, values[0]),
        a.index_add(0, index[:1] * 0, values[0]),
        a.scatter_reduce(0, index[0] * 0, values[0], "prod"),
        a.index_fill(0, index[:1] * 0, 3.0),
        torch.index_put(x, (mask,), values[: x.shape[1]], accumulate=True),
        x.masked_scatter(x > 0, x.flip(0)),
    )


def get_inputs():
    return [torch.randn(5, 7), torch.randint(0, 7, (9,)), torch.randn(9), torch.rand(5) > 0.5]
