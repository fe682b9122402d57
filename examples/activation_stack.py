"""A Sequential of activations and a norm."""

import torch
import torch.nn as nn


class ActivationStack(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.layers = nn.Sequential(nn.LayerNorm(dim), nn.GELU(), nn.Hardswish(), nn.Softplus(beta=2.0))

    def forward(self, x):
        return self.layers(x)


def get_init_inputs():
    return [256]


def get_inputs():
    return [torch.randn(32, 256)]
