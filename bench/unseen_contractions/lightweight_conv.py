"""Softmax over the taps of kernels shared by heads."""

import torch
from torch import nn
import torch.nn.functional as F


class LightweightConv(nn.Module):
    def __init__(self, heads=2, k=3):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(heads, 1, k))
        self.heads, self.k = heads, k

    def forward(self, x):
        b, c, t = x.size()
        w = F.softmax(self.weight, dim=-1)
        y = F.conv1d(x.view(-1, self.heads, t), w, padding=self.k // 2, groups=self.heads)
        return y.view(b, c, t)


def get_inputs():
    return [torch.randn(2, 4, 6)]
