"""Updates of a tensor without axes, whose gradients are views of it."""

import torch


def updated(x, i, y):
    return torch.index_add(x, 0, i, y, alpha=-1), x.reshape(()).view(()) * 2, torch.scatter_add(x, 0, i[0], y)


def get_inputs():
    return [torch.randn(()), torch.tensor([0]), torch.randn(())]
