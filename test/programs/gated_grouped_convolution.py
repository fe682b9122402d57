"""A gate of two halves of the channels before a grouped convolution, as NAFNet has it."""

import torch
import torch.nn as nn


class SimpleGate(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(2, 4, 3, groups=2)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        return self.c(a * b)


def get_inputs():
    return [torch.randn(3, 4, 7, 9)]
