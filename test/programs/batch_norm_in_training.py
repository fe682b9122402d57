"""Batch norm that learns its statistics, and its activation."""

import torch
import torch.nn as nn


class NormAndActivation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, momentum=0.2)
        self.activation = nn.LeakyReLU(0.1)

    def forward(self, x):
        return self.activation(self.norm(x))


def get_inputs():
    return [torch.randn(4, 8, 6, 5)]


def get_init_inputs():
    return [8]
