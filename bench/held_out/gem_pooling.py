"""Generalised mean pooling with a learned exponent (image retrieval)."""
# surveyed: gem_pool_descriptor
# program: GeM

import torch
import torch.nn.functional as F
from torch import nn


def gem(x, p, eps=1e-6):
    return F.avg_pool2d(x.clamp(min=eps).pow(p), (x.size(-2), x.size(-1))).pow(1.0 / p)


class GeM(nn.Module):
    def __init__(self, p=3.0, eps=1e-6):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1) * p)
        self.eps = eps

    def forward(self, x):
        return F.normalize(gem(x, p=self.p, eps=self.eps).flatten(1), dim=-1)


def get_inputs():
    return [torch.rand(240, 512, 31, 31)]


def get_init_inputs():
    return []
