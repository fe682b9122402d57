"""Buffers and parameters that are made of one tensor, as pieces of it or seen otherwise."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        both = torch.rand(4, 4)
        self.register_buffer("turned", both.t())
        self.register_buffer("straight", both)
        waves = torch.rand(4, 2)
        self.register_buffer("cos", waves[..., 0])
        self.register_buffer("sin", waves[..., 1])
        self.first, self.second = torch.rand(8).chunk(2)
        self.encode = nn.Linear(4, 3)
        self.decode = nn.Linear(3, 4)
        self.decode.weight = nn.Parameter(self.encode.weight.t())

    def forward(self, x):
        x = x @ self.turned - 2 * (x @ self.straight)
        x = x * self.cos - self.sin * self.first + self.second
        return self.decode(torch.tanh(self.encode(x)))


def get_inputs():
    return [torch.randn(5, 4)]
