"""A bilinear layer, distances of all pairs and a power of a matrix."""

import torch
from torch import nn


class Pairs(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Bilinear(4, 5, 3)

    def forward(self, x, y):
        kernel = torch.exp(-(torch.cdist(x, x + 0.5) ** 2))
        return self.score(x, y), torch.matrix_power(kernel, 3), nn.functional.pdist(x)


def get_inputs():
    return [torch.randn(6, 4), torch.randn(6, 5)]
