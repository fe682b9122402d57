"""Barlow twins from a given cross correlation matrix."""


# program: barlow_decorrelation

import torch


def off_diagonal(x):
    n, m = x.shape
    assert n == m
    return x.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten()


def barlow_decorrelation(c: torch.Tensor, lambd: float = 0.0051):
    on_diag = torch.diagonal(c).add(-1).pow(2).sum()
    off_diag = off_diagonal(c).pow_(2).sum()
    return on_diag + lambd * off_diag


def get_inputs():
    return [torch.randn(9, 9)]
