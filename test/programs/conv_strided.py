"""Strided, padded and dilated convolutions, plain and transposed, with what surrounds them in a small network."""

import torch
import torch.nn.functional as F
from torch import nn


class Codec(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.down = nn.Conv2d(channels, 6, 3, stride=2, padding=1)
        self.wide = nn.Conv2d(6, 6, 3, padding=2, dilation=2, groups=3, bias=False)
        self.up = nn.ConvTranspose2d(6, channels, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        h = F.relu(self.down(x))
        return self.up(h + self.wide(h))


def get_init_inputs():
    return [3]


def get_inputs():
    return [torch.randn(2, 3, 8, 6)]
