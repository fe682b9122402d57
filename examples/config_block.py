"""A block configured by a dataclass, with the options decided at construction."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    dim: int = 192
    activation: str = "silu"
    use_bias: bool = True
    residual_scale: float = 0.5


class Block(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.norm = nn.LayerNorm(config.dim)
        self.bias = nn.Parameter(torch.zeros(config.dim)) if config.use_bias else None

    def forward(self, x):
        h = self.norm(x)
        if self.bias is not None:
            h = h + self.bias
        h = F.silu(h) if self.config.activation == "silu" else F.relu(h)
        return x + self.config.residual_scale * h


def get_init_inputs():
    return [Config()]


def get_inputs():
    return [torch.randn(16, 24, 192)]
