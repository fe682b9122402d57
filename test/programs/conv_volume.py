"""A convolution of volumes behind a norm, and its transpose."""

import torch
from torch import nn


class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(2, 4, (3, 2, 2), stride=(1, 2, 2), padding=(1, 0, 1))
        self.norm = nn.GroupNorm(2, 4)
        self.up = nn.ConvTranspose3d(4, 2, 2, stride=2, bias=False)

    def forward(self, x):
        return self.up(torch.relu(self.norm(self.conv(x))))


def get_inputs():
    return [torch.randn(1, 2, 3, 4, 5)]
