"""An instance norm behind a convolution, divided by a constant."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, divide_by):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding="valid")
        self.instance_norm = nn.InstanceNorm2d(out_channels, affine=True)
        self.divide_by = divide_by

    def forward(self, x):
        return self.instance_norm(self.conv(x)) / self.divide_by


def get_inputs():
    return [torch.rand(3, 2, 8, 8)]


def get_init_inputs():
    return [2, 4, 3, 2.0]
