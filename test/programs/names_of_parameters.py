"""Arguments of forward() that are called as parameters and buffers of the module are."""

import torch
from torch import nn


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.noise = nn.Parameter(torch.zeros(1))
        self.scale = nn.Parameter(torch.ones(4, 5))
        self.register_buffer("mask", torch.ones(5))
        self.a = nn.Linear(5, 5)
        self.a_weight = nn.Parameter(torch.ones(5, 5))

    def forward(self, x, noise, scale, mask=None):
        moved = self.a(x + self.noise * noise) * self.scale * scale
        return moved + self.mask * mask @ self.a_weight


def get_inputs():
    return [torch.randn(3, 3, 4, 5), torch.randn(3, 1, 4, 5), torch.randn(4, 5), torch.randn(5)]
