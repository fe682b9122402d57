"""Triangles of matrices."""

import torch


def triangles(x):
    n = x.shape[-1]
    m = torch.tril(torch.ones(n, n))
    r, c = torch.tril_indices(3, 3)
    return (
        torch.tril(x, diagonal=-1),
        x.triu(1),
        m * x,
        torch.ones_like(x).tril().bool(),
        torch.eye(n) - x,
        torch.ones(n, n).triu(diagonal=2),
    )


def get_inputs():
    return [torch.randn(5, 5)]
