"""Weight norm and local response norm by PyTorch's names."""

import torch
from torch import nn


class WeightNormOperators(nn.Module):
    def __init__(self):
        super().__init__()
        self.lrn = nn.LocalResponseNorm(3, alpha=1e-3, beta=0.6, k=2.0)
        self.g = nn.Parameter(torch.ones(6, 1))
        self.v = nn.Parameter(torch.randn(6, 10))

    def forward(self, x):
        w = torch._weight_norm(self.v, self.g, 0)
        return self.lrn(x), w, self.g * self.v / torch.norm_except_dim(self.v, 2, 0)


def get_inputs():
    return [torch.randn(2, 6, 4, 4)]


def get_init_inputs():
    return []
