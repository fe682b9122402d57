"""A layer, an instance norm over the whole row by two new axes, then a sum with and a product by another input."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.bmm = nn.Linear(in_features, out_features)
        self.instance_norm = nn.InstanceNorm2d(out_features, eps=eps, momentum=momentum)

    def forward(self, x, y):
        x = self.bmm(x)
        x = self.instance_norm(x.unsqueeze(1)).squeeze(1)
        x = x + y
        x = x * y
        return x


def get_inputs():
    return [torch.randn(2, 6, 9), torch.randn(2, 6, 12)]


def get_init_inputs():
    return [9, 12]
