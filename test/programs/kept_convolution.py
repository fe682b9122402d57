"""A residual block with convolutions of PyTorch, and sizes that follow from theirs."""

# options: --keep-torch conv2d

import torch
import torch.nn.functional as F
from torch import nn


class KeptConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.second = nn.Conv2d(8, 8, 3, padding="same", groups=2, bias=False)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x):
        x = F.relu(self.first(x))
        return F.avg_pool2d(x + F.silu(self.norm(self.second(x))), 2)


def get_inputs():
    return [torch.randn(2, 3, 17, 16)]
