"""Group and instance norms as modules."""

import torch
import torch.nn as nn


class GroupAndInstanceNorm(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.gn = nn.GroupNorm(2, c)
        self.inn = nn.InstanceNorm2d(c, affine=True)
        self.ln = nn.LayerNorm([c, 4, 5])
        self.bn = nn.BatchNorm2d(c, affine=False).eval()

    def forward(self, x):
        return self.gn(x), self.inn(x), self.ln(x), self.bn(x)


def get_inputs():
    return [torch.randn(2, 6, 4, 5)]


def get_init_inputs():
    return [6]
