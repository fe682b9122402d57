"""Blocks that differ in the sizes of their kernels: a convolution that halves the image, and one beside it."""

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, channels, kernel):
        super().__init__()
        self.halving = nn.Conv2d(channels, channels, kernel, 2, kernel // 2, groups=channels, bias=False)
        self.beside = nn.Conv2d(channels, channels, kernel, 1, kernel // 2, groups=channels, bias=False)
        self.first_norm, self.second_norm = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.mixed = nn.Conv2d(channels, channels, 1, bias=False)
        self.wider = nn.Conv2d(channels, channels * 2, 1, bias=False)

    def forward(self, x):
        x = torch.relu(self.first_norm(self.halving(self.mixed(x))))
        x = torch.relu(self.second_norm(self.beside(x)))
        return self.wider(x)


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(4, 5)
        self.second = Block(8, 3)

    def forward(self, x):
        return self.second(self.first(x))


# program: Blocks
def get_inputs():
    return [torch.randn(2, 4, 17, 17)]
