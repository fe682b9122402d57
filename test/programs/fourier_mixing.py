"""Tokens mixed by Fourier transforms along both axes."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.ff = nn.Linear(d, d)

    def forward(self, x):
        x = self.norm(torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real + x)
        return self.ff(x) + x


def get_inputs():
    return [torch.randn(2, 6, 8)]
