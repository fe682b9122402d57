"""A transposed volume with batch statistics less its spatial mean."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, i=2, o=3):
        super().__init__()
        self.t = nn.ConvTranspose3d(i, o, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm3d(o)

    def forward(self, x):
        x = self.bn(self.t(x))
        return x - torch.mean(x, dim=(2, 3, 4), keepdim=True)


def get_inputs():
    return [torch.randn(2, 2, 2, 3, 3)]
