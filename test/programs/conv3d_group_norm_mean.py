"""A volume to one number a sample."""


import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, num_groups):
        super().__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = self.conv(x)
        x = self.group_norm(x)
        x = nn.functional.hardswish(x)
        return x.mean(dim=[1, 2, 3, 4])


def get_inputs():
    return [torch.randn(2, 2, 4, 5, 5)]


def get_init_inputs():
    return [2, 6, (2, 3, 3), 3]
