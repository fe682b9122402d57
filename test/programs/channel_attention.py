"""A gate from pooled channels."""

import torch
import torch.nn as nn


class ECA(nn.Module):
    def forward(self, x):
        y = x.mean((2, 3), keepdim=True)
        y = torch.sigmoid(y)
        return x * y.expand_as(x)


def get_inputs():
    return [torch.randn(2, 5, 8, 6)]


def get_init_inputs():
    return []
