"""The pooling and gating halves of squeeze-and-excitation, its products left out."""

import torch
import torch.nn as nn


class SqueezeGate(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        pooled = x.mean(dim=(2, 3))
        gate = torch.sigmoid(pooled * self.scale + self.shift)
        return x * gate[:, :, None, None]


def get_init_inputs():
    return [32]


def get_inputs():
    return [torch.randn(4, 32, 14, 14)]
