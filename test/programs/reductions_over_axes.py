"""Reductions over any axes."""

import torch


def reductions_over_axes(x):
    return (
        x.sum(dim=(0, -1)),
        x.mean((-2, -1)),
        x.amax(dim=[1, 2], keepdim=True),
        x.var(dim=(0, 2), keepdim=True),
        x.std(unbiased=False),
        x.logsumexp((1, 2)),
        x.any(dim=(0, 1)),
        (x > 0).all(dim=(1,), keepdim=True),
        x.sum(),
        x.min(),
        x.max(dim=-1, keepdim=True).values,
        x.prod(dim=2),
    )


def get_inputs():
    return [torch.randn(3, 4, 5)]
