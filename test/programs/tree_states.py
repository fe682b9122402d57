"""States of a tree from its leaves to its root: each row reads all rows that were written before."""

import torch


def tree_states(x, a):
    h = torch.zeros_like(x)
    for i in range(x.shape[0]):
        h[i] = torch.tanh(x[i] + (a == i).float() @ h)
    return h


def get_inputs():
    return [torch.randn(5, 3), (torch.arange(5) - 1) // 2]
