"""Tokens as a square grid by the root of their number."""

import math

import torch


def to_grid(x):
    b, n, c = x.shape
    h = w = int(math.sqrt(n))
    assert h * w == n
    return x.transpose(1, 2).reshape(b, c, h, w).mean(dim=(2, 3))


def get_inputs():
    return [torch.randn(2, 16, 3)]
