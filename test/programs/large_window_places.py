"""Where the greatest elements of windows of many places lie."""

import torch
import torch.nn.functional as F


def places(x):
    return F.max_pool2d(x, 5, 2, 2, return_indices=True), F.max_pool1d(x[0], 12, 3, return_indices=True)


def get_inputs():
    return [torch.randn(2, 2, 15, 16)]
