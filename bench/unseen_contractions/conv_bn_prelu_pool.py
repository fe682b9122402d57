"""A stem of a face network."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(width)
        self.act = nn.PReLU(width)
        self.pool = nn.MaxPool2d(3, 2, 1)

    def forward(self, x):
        return self.pool(self.act(self.bn(self.conv((x - 0.5) / 0.5))))


def get_inputs():
    return [torch.rand(2, 3, 8, 8)]


def get_init_inputs():
    return [6]
