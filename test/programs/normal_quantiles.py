"""Quantiles of the normal distribution, far into its tails."""

import torch


def f(x, y):
    return (
        torch.special.ndtri(x),
        torch.special.ndtri(torch.exp(-3 - y * y * 8)),
        torch.special.ndtri(1 - x),
        torch.special.ndtri(torch.cat([x[:1] * 0, x[:1] * 0 + 1, x[:1] + 2])),
    )


def get_inputs():
    return [torch.rand(40) * 0.98 + 0.01, torch.linspace(-2.9, 2.9, 24)]
