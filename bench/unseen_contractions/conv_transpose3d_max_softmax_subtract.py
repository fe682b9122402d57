"""Five operators behind a transposed convolution of a volume."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, i, o, k, stride, padding, output_padding):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose3d(i, o, k, stride, padding, output_padding)
        self.max_pool = nn.MaxPool3d(kernel_size=2, stride=2)
        self.subtract = nn.Parameter(torch.randn(o))

    def forward(self, x):
        x = self.max_pool(self.conv_transpose(x))
        x = torch.softmax(x, dim=1)
        x = x - self.subtract.view(1, -1, 1, 1, 1)
        x = torch.sigmoid(x) * x
        return torch.max(x, dim=1)[0]


def get_inputs():
    return [torch.randn(1, 2, 2, 3, 3)]


def get_init_inputs():
    return [2, 4, 3, 2, 1, 1]
