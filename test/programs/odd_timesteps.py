"""Sines and cosines of time steps, with a zero behind where the width is odd: 2 * (n // 2) + 1 is n."""

import torch
from torch import nn

# program: OddTimesteps


class OddTimesteps(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.randn(width))

    def forward(self, x, t):
        width = x.shape[-1]
        half = width // 2
        angles = t[:, None] * torch.exp(-torch.arange(half) / max(half, 1))
        features = torch.cat([angles.cos(), angles.sin()], -1)
        if width % 2:
            features = torch.cat([features, torch.zeros_like(features[:, :1])], dim=-1)
        return features * self.gain + x


def get_init_inputs():
    return [5]


def get_inputs():
    return [torch.randn(3, 5), torch.rand(3)]
