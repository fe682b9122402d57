"""Rows divided by their L2 norm."""

import torch
import torch.nn as nn


class L2Normalize(nn.Module):
    def forward(self, x):
        return x / torch.norm(x, p=2, dim=1, keepdim=True)


def get_inputs():
    return [torch.randn(4, 160)]


def get_init_inputs():
    return []
