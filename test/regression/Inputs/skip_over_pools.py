import torch
import torch.nn.functional as F


def f(x):
    once = F.max_pool1d(x, 2)
    return torch.repeat_interleave(F.max_pool1d(once, 2), 2, 2) + once


def get_inputs():
    return [torch.rand(8, 8, 64)]
