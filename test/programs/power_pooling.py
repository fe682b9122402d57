"""Pooling by a power mean."""

import torch
import torch.nn.functional as F


def power_pooling(x):
    return F.lp_pool2d(x, 2, 2)


def get_inputs():
    return [torch.rand(2, 3, 8, 8)]
