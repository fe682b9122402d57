"""The norm of several tensors laid end to end, by parts: the last part has elements where any of it is read."""

import torch


def norm_of_all(a, b, c):
    return torch.cat([a.reshape(-1), b, c.reshape(-1)]).norm()


def get_inputs():
    return [torch.randn(6, 10), torch.randn(33), torch.randn(3, 5, 7)]
