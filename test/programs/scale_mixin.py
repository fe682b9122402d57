"""A mixin that makes a parameter."""

# program: ScaledBlock

import torch
from torch import nn


class ScaleMixin:
    def init_scale(self, dim, value=0.1):
        self.gamma = nn.Parameter(value * torch.ones(dim))

    def scale(self, x):
        return x * self.gamma


class ScaledBlock(ScaleMixin, nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.init_scale(dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return x + self.scale(self.norm(x))


def get_inputs():
    return [torch.randn(4, 16)]


def get_init_inputs():
    return [16]
