"""Sums, means, products and extremes over an axis."""

import torch
import torch.nn as nn


class ReduceAxis(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return (
            torch.max(x, dim=self.dim)[0],
            torch.min(x, dim=self.dim)[0],
            torch.mean(x, dim=self.dim),
            torch.prod(x, dim=self.dim),
            torch.argmax(x, self.dim),
            torch.argmin(x, dim=self.dim),
        )


def get_inputs():
    return [torch.randn(4, 16, 9)]


def get_init_inputs():
    return [1]
