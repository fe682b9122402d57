"""Five pointwise operators behind a volume's convolution."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """ReLU, LeakyReLU, GELU, Sigmoid and bias in sequence."""

    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super(Model, self).__init__()
        self.conv = nn.Conv3d(in_channels, out_channels, kernel_size, stride=(1, 2, 1), padding=1)
        self.bias = nn.Parameter(torch.randn(bias_shape) * 0.02)

    def forward(self, x):
        x = self.conv(x)
        x = torch.relu(x)
        x = torch.nn.functional.leaky_relu(x, negative_slope=0.01)
        x = torch.nn.functional.gelu(x)
        x = torch.sigmoid(x)
        x = x + self.bias
        return x


def get_inputs():
    return [torch.randn(1, 3, 4, 6, 5)]


def get_init_inputs():
    return [3, 4, 3, (4, 1, 1, 1)]
