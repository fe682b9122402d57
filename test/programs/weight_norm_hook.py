"""Weight norm by the hook of nn.utils on a module whose weight scales features."""

# only forward: PyTorch refuses its own gradient here

# program: Net

import torch
import torch.nn as nn


class Scale(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels, width) * 0.5)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return x * self.weight + self.bias


class Net(nn.Module):
    def __init__(self, channels, width):
        super().__init__()
        self.first = nn.utils.weight_norm(Scale(channels, width), name="weight", dim=0)
        self.second = nn.utils.parametrizations.weight_norm(Scale(channels, width), dim=1)

    def forward(self, x):
        return self.second(torch.tanh(self.first(x)))


def get_inputs():
    return [torch.randn(3, 4, 6)]


def get_init_inputs():
    return [4, 6]
