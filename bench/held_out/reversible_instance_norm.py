"""Normalisation of each series over time before a forecast, with the statistics for its undoing (RevIN)."""

import torch
from torch import nn


class RevIN(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.affine_weight = nn.Parameter(torch.ones(num_features))
        self.affine_bias = nn.Parameter(torch.zeros(num_features))

    def forward(self, x):
        mean = torch.mean(x, dim=1, keepdim=True).detach()
        stdev = torch.sqrt(torch.var(x, dim=1, keepdim=True, unbiased=False) + self.eps).detach()
        x = (x - mean) / stdev
        x = x * self.affine_weight + self.affine_bias
        return x, mean, stdev


def get_inputs():
    return [torch.randn(300, 720, 862)]


def get_init_inputs():
    return [862]
