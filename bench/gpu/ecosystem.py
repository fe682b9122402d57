# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of which bench/gpu_ecosystem.py checks how they behave as a part of PyTorch."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def drops(x, y):
    return F.dropout(x, 0.5) * y


def layers(x):
    """Six draws, one of them in cases of sizes."""
    for _ in range(4):
        x = x + F.dropout(x, 0.5)
    if x.shape[0] > 4:
        x = F.dropout(x, 0.25)
    return x * torch.rand_like(x)


def nothing(x):
    return F.dropout(x, 0.0) + F.dropout(x * 2, 0.5, training=False)


def choices(weights):
    return torch.multinomial(weights, 2), torch.randperm(weights.shape[0], device=weights.device)


def kernel_of_rows(x):
    return torch.softmax(x, -1) * x


def scaled(x, scale):
    return (x * scale).sin()


def halves(x):
    return x * 0.5


def counts(x, total):
    total.add_(x)
    return x * 2


class Block(nn.Module):
    """A norm and two dropouts: training and evaluation are cases."""

    def __init__(self, width=24):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.gain = nn.Parameter(torch.ones(width))
        self.first = nn.Dropout(0.25)
        self.second = nn.Dropout(0.5)

    def forward(self, x):
        return self.second(self.norm(x + self.first(x)) * self.gain)


# By name: the inputs, and whether there are gradients.
PROGRAMS = {
    "drops": ("x=f32[M,N],y=f32[M,N]", True),
    "layers": ("x=f32[M,N]", True),
    "nothing": ("x=f32[M,N]", True),
    "choices": ("weights=f32[M,N]", False),
    "kernel_of_rows": ("x=f32[M,N]", True),
    "scaled": ("x=f32[M,N],scale=f32[N]", True),
    "halves": ("x=f32[M,N]", False),
    "counts": ("x=f32[N],total=f32[N]", False),
    "Block": ("x=f32[M,24]", True),
}
