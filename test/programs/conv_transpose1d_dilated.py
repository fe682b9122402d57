"""A transposed convolution over a line, dilated and strided."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.conv1d_transpose = nn.ConvTranspose1d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, dilation=dilation, bias=bias
        )

    def forward(self, x):
        return self.conv1d_transpose(x)


def get_inputs():
    return [torch.randn(2, 3, 9)]


def get_init_inputs():
    return [3, 5, 4, 3, 2, 2]
