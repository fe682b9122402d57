"""Normalisation by a running mean and variance."""

import torch
import torch.nn as nn


class RunningNorm(nn.Module):
    def __init__(self, dim, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("var", torch.ones(dim))

    def forward(self, x):
        m = x.mean(0)
        v = x.var(0, unbiased=False)
        self.mean = (1 - self.momentum) * self.mean + self.momentum * m
        self.var.mul_(1 - self.momentum).add_(self.momentum * v)
        return (x - self.mean) / torch.sqrt(self.var + 1e-5)


def get_inputs():
    return [torch.randn(12, 8)]


def get_init_inputs():
    return [8]
