# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the modules of these tests compute, in PyTorch."""

import torch
from torch import nn


def add(x, y):
    return x + y


def softmax(x):
    return torch.softmax(x, -1)


def row_sum(x):
    return x.sum(1), (x * x).sum(1)


def matmul(a, b):
    return a @ b


def argmax(x):
    return x.argmax(1)


def farthest(x):
    at = x.abs().argmax(1)
    return x.gather(1, at[:, None])[:, 0] + at * 0.5


def tanh(x):
    return torch.tanh(x), x > 0


def control(n, x):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    root = 0
    while root * root < n:
        root += 1
    total = sum(x[i] * 2 for i in range(0, len(x), 3)) + x[0] * 0
    scaled = total * 0.5 if len(x) > 3 else total + 1
    ints = torch.tensor([a, 7 * (n % 2), root, 0], dtype=torch.int32)
    return ints, torch.stack([scaled, torch.full_like(scaled, 6)])


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.blocks = nn.ModuleList([nn.LayerNorm(size, bias=False)])

    def forward(self, x):
        return x * self.blocks[0].weight * x.shape[1] ** -0.5


def outer_sum(x, y):
    return x + y
