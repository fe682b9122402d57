"""Dilations that double, summed."""

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, c=3, n=3):
        super().__init__()
        self.convs = nn.ModuleList(nn.Conv1d(c, c, 3, dilation=2**i, padding=2**i) for i in range(n))

    def forward(self, x):
        total = torch.zeros_like(x)
        for conv in self.convs:
            x = torch.tanh(conv(x)) + x
            total += x
        return total / len(self.convs)


def get_inputs():
    return [torch.randn(2, 3, 11)]
