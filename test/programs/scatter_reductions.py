"""Every reduction of scatter_reduce, with and without what was there."""

import torch


def scatter_reductions(x, index, y):
    results = []
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        results.append(x.scatter_reduce(1, index, y, reduce))
        results.append(x.scatter_reduce(1, index, y, reduce, include_self=False))
    return results


def get_inputs():
    return [torch.randn(3, 7), torch.randint(0, 7, (3, 40)), torch.randn(3, 40)]
