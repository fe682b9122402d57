"""A gate with a bias while training, dropout after it, and batch statistics that eval() freezes."""

import torch
from torch import nn


class NoisyGate(nn.Module):
    def __init__(self, width: int = 64):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.gate = nn.Parameter(torch.ones(width))
        self.sharpness = nn.Parameter(torch.tensor(2.0))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gated = self.norm(x) * torch.sigmoid(self.gate * self.sharpness)
        return x + self.dropout(gated)


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return [64]
