"""Pooling modules."""

import torch
import torch.nn as nn


class PoolingModules(nn.Module):
    def __init__(self, kernel_size: int, stride: int = None, padding: int = 0):
        super().__init__()
        self.avg = nn.AvgPool2d(kernel_size=kernel_size, stride=stride, padding=padding)
        self.max = nn.MaxPool2d(kernel_size=3, stride=2, padding=1, dilation=1)
        self.gap = nn.AdaptiveAvgPool2d((1, 1))

    def forward(self, x):
        return self.avg(x), self.max(x), torch.flatten(self.gap(x), 1)


def get_inputs():
    return [torch.randn(2, 3, 9, 12)]


def get_init_inputs():
    return [3]
