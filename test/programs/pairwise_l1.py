"""L1 distances of all pairs of rows."""

import torch


def pairwise_l1(x):
    return torch.cdist(x, x * 0.5, p=1)


def get_inputs():
    return [torch.randn(5, 4)]
