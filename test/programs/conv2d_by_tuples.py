"""Kernels, strides, paddings and dilations that differ along the two axes."""

import torch
import torch.nn as nn


class Asymmetric(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 4, (1, 5), stride=(1, 2), padding=(0, 2))
        self.b = nn.Conv2d(4, 4, (3, 2), (2, 1), (2, 1), (1, 2), bias=False)
        self.c = nn.Conv2d(4, 6, kernel_size=(2, 3), padding="same", dilation=(1, 2))

    def forward(self, x):
        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))


def get_inputs():
    return [torch.randn(2, 3, 9, 12)]
