"""Adaptive max pooling with the places of what it takes."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def f(x, line):
    y, places = F.adaptive_max_pool2d(x, (3, 2), return_indices=True)
    z, at = nn.AdaptiveMaxPool1d(4, return_indices=True)(line)
    return y, places, z, at, F.adaptive_max_pool2d(x, 1), F.adaptive_max_pool1d(line, 2)


def get_inputs():
    return [torch.randint(-2, 3, (2, 3, 6, 4)).float(), torch.randint(-1, 2, (2, 8)).float()]
