import torch


def f(z, w, u):
    return torch.take_along_dim(z[w], u, -1)
