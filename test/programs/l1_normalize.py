"""Rows divided by their L1 norm."""

import torch
import torch.nn as nn


class L1Normalize(nn.Module):
    def forward(self, x):
        return x / torch.mean(torch.abs(x), dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(4, 160)]


def get_init_inputs():
    return []
