"""YOLO fast spatial pyramid pooling: scaled SiLU, three chained 5x5 max pools, all four concatenated."""

# small: 48=1 40=5

import torch
import torch.nn as nn
import torch.nn.functional as F


class SppfConcat(nn.Module):
    def __init__(self, channels, k=5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.m = nn.MaxPool2d(kernel_size=k, stride=1, padding=k // 2)

    def forward(self, x):
        w = self.weight.to(x.dtype).view(1, -1, 1, 1)
        b = self.bias.to(x.dtype).view(1, -1, 1, 1)
        x = F.silu(x * w + b)
        y1 = self.m(x)
        y2 = self.m(y1)
        return torch.cat((x, y1, y2, self.m(y2)), 1)


def get_init_inputs():
    return [320, 5]


def get_inputs():
    return [torch.randn(48, 320, 40, 40, dtype=torch.float16)]
