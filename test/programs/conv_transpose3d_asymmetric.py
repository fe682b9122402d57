"""A transposed convolution of volumes, grouped, with other numbers along each axis."""

import torch
from torch import nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(
        self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, min_value, divisor
    ):
        super().__init__()
        self.conv = nn.ConvTranspose3d(
            in_channels, out_channels, kernel_size, stride, padding, output_padding, groups=groups, dilation=(1, 2, 1)
        )
        self.min_value, self.divisor = min_value, divisor

    def forward(self, x):
        x = F.relu(self.conv(x))
        x = torch.clamp(x, min=self.min_value)
        return x / self.divisor


def get_inputs():
    return [torch.randn(1, 4, 2, 3, 3)]


def get_init_inputs():
    return [4, 4, (2, 3, 1), (1, 2, 2), (0, 1, 0), (0, 1, 1), 2, -1.0, 2.0]
