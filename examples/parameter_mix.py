"""A ModuleList whose members are called in a loop."""

import torch
import torch.nn as nn


class Branch(nn.Module):
    def __init__(self, dim, slope):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(dim))
        self.activation = nn.LeakyReLU(slope)

    def forward(self, x):
        return self.activation(x + self.shift)


class Model(nn.Module):
    def __init__(self, dim, count):
        super().__init__()
        self.branches = nn.ModuleList([Branch(dim, 0.1 * (i + 1)) for i in range(count)])
        self.weights = nn.Parameter(torch.randn(count))

    def forward(self, x):
        total = 0
        for index, branch in enumerate(self.branches):
            total = total + self.weights[index] * branch(x)
        return total


def get_init_inputs():
    return [128, 3]


def get_inputs():
    return [torch.randn(64, 128)]
