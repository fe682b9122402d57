"""The elementwise part of a gated feed-forward layer: norm, gate, scale, residual."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class FeedForwardGate(nn.Module):
    """Takes the two halves of the up projection and gates one by the other."""

    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.scale = nn.Parameter(torch.full((dim,), 0.5))

    def normalise(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight

    def forward(self, up, residual):
        gate, value = up.chunk(2, dim=-1)
        hidden = F.silu(gate) * value
        return residual + self.scale * self.normalise(hidden)


def get_init_inputs():
    return [256]


def get_inputs():
    return [torch.randn(16, 64, 512), torch.randn(16, 64, 256)]
