"""Subtractions of numbers behind a convolution, with a pool."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, subtract1, subtract2, pool):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.subtract1 = subtract1
        self.subtract2 = subtract2
        self.avgpool = nn.AvgPool2d(pool)

    def forward(self, x):
        x = self.conv(x)
        x = x - self.subtract1
        x = torch.tanh(x)
        x = F.mish(x - self.subtract2)
        return self.avgpool(x)


def get_inputs():
    return [torch.randn(2, 3, 9, 9)]


def get_init_inputs():
    return [3, 5, 4, 0.5, 0.2, 2]
