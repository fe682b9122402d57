"""Image retrieval descriptor: generalized-mean pooling over a 1/2/3 region pyramid, L2-normalised and summed."""

# small: 24=6 32=12 2048=3

import torch
import torch.nn as nn
import torch.nn.functional as F


class GemPoolDescriptor(nn.Module):
    def __init__(self, levels=(1, 2, 3), p=3.0, eps=1e-6):
        super().__init__()
        self.levels = levels
        self.p = nn.Parameter(torch.ones(1) * p)
        self.eps = eps

    def forward(self, x):
        powered = x.clamp(min=self.eps).pow(self.p)
        desc = 0.0
        for level in self.levels:
            pooled = F.adaptive_avg_pool2d(powered, (level, level)).pow(1.0 / self.p)
            regions = F.normalize(pooled.flatten(2), p=2, dim=1)
            desc = desc + regions.sum(dim=-1)
        return F.normalize(desc, p=2, dim=1)


def get_init_inputs():
    return [(1, 2, 3), 3.0]


def get_inputs():
    return [torch.rand(24, 2048, 32, 24)]
