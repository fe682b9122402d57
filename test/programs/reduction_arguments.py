"""Reductions with tuples of axes, negative axes, keepdim, dtype and correction."""

import math

import torch


def f(x):
    return (
        x.sum(dim=(-1, 0), keepdim=True),
        x.sum((0, 2)),
        torch.sum(x, dtype=torch.float64),
        x.mean(dim=[-2], keepdim=True, dtype=torch.float64),
        x.prod(-1, keepdim=True),
        x.std((0, -1), correction=0),
        x.var(dim=None, correction=2),
        torch.var_mean(x, dim=-2, correction=0, keepdim=True),
        torch.std_mean(x, unbiased=False),
        x.norm(p=float("inf"), dim=-1),
        x.norm(p=-math.inf, dim=(0, 1)),
        x.norm(p=0, dim=1),
        x.norm(p=1),
        x.norm(p=3, dim=(-1, 1), keepdim=True),
        torch.linalg.vector_norm(x, ord=0.5, dim=0),
        x.logsumexp((0, 2), keepdim=True),
        torch.logsumexp(x, -1),
        x.amax((0, -1), keepdim=True),
        x.amin(),
        torch.aminmax(x, dim=1, keepdim=True),
        x.max(-2, keepdim=True),
        torch.min(x, 0),
        x.argmax(-1, keepdim=True),
        x.argmin(),
        (x > 0).any(dim=(0, 1)),
        (x > 0).all(-1, keepdim=True),
        torch.count_nonzero(x > 0, dim=(0, 2)),
        x.nansum(-1),
        x.nanmean((0, 1), keepdim=True),
    )


def get_inputs():
    x = torch.randn(3, 4, 5)
    return [x]
