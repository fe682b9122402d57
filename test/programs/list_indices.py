"""Lists as indices: one of numbers picks rows, one of anything else is read as a tuple."""

import torch


def list_indices(x, t):
    y = x.clone()
    y[[[0, 1], [2, 0]]] = 7.0
    pairs = x[[[0, 1], [2, 0]]], x[[t, t + 1]], x[[(0, 1), (1, 2)]]
    return *pairs, x[[[0, 1]]], x[[slice(0, 2), 1]], x[[None, 0]], x[[0, 1]], x[[t[0], 1]], y


def get_inputs():
    return [torch.randn(3, 4, 5), torch.tensor([0, 1])]
