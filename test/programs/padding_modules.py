"""Padding modules of every mode."""

import torch
import torch.nn as nn


class PaddingModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ReflectionPad2d(1)
        self.b = nn.ZeroPad2d((1, 2, 0, 1))
        self.c = nn.ConstantPad1d(2, 3.5)
        self.d = nn.ReplicationPad2d(2)

    def forward(self, x):
        return self.a(x), self.b(x), self.c(x), self.d(x)


def get_inputs():
    return [torch.randn(2, 3, 6, 7)]


def get_init_inputs():
    return []
