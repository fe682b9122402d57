"""Distances of all pairs."""

import torch


def pairwise_distances(x, y):
    d = (x.unsqueeze(1) - y.unsqueeze(0)).pow(2).sum(-1).sqrt()
    return d, torch.exp(-d / 2), d.argmin(dim=1)


def get_inputs():
    return [torch.randn(6, 3), torch.randn(5, 3)]
