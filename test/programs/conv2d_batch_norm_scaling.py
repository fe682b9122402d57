"""Batch statistics of a convolution, scaled: the model is called in training as it was made."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels=3, out_channels=5, kernel_size=3, scaling_factor=2.0):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bn = nn.BatchNorm2d(out_channels)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.bn(self.conv(x))
        return torch.multiply(x, self.scaling_factor)


def get_inputs():
    return [torch.randn(4, 3, 6, 6)]
