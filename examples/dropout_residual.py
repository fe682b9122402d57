"""The end of a transformer's block: dropout, the residual, layer norm. In training the seed is an argument."""

import torch
from torch import nn


class DropoutResidual(nn.Module):
    def __init__(self, width: int = 64, p: float = 0.1):
        super().__init__()
        self.dropout = nn.Dropout(p)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return self.norm(residual + self.dropout(x))


def get_inputs():
    return [torch.randn(16, 64), torch.randn(16, 64)]


def get_init_inputs():
    return [64]
