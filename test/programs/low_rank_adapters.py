"""Frozen layers with trained low-rank updates (LoRA): scaled, switched by the configuration."""

import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class LoraConfig:
    r: int = 2
    lora_alpha: float = 4.0
    target: tuple = ("q", "v")
    dropout: float = 0.0
    use_rslora: bool = True


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, config: Optional[LoraConfig]):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.config = config
        if config is not None:
            self.lora_A = nn.Parameter(torch.empty(config.r, base.in_features))
            self.lora_B = nn.Parameter(torch.zeros(base.out_features, config.r))
            nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
            self.scaling = config.lora_alpha / (math.sqrt(config.r) if config.use_rslora else config.r)
            self.dropout = nn.Dropout(config.dropout) if config.dropout > 0 else nn.Identity()

    def forward(self, x):
        result = self.base(x)
        if self.config is not None:
            result = result + (self.dropout(x) @ self.lora_A.T @ self.lora_B.T) * self.scaling
        return result


class Projections(nn.Module):
    def __init__(self, width=8, config=None):
        super().__init__()
        config = config or LoraConfig()
        self.layers = nn.ModuleDict(
            {n: LoraLinear(nn.Linear(width, width), config if n in config.target else None) for n in "qkv"}
        )

    def forward(self, x):
        return tuple(layer(x) for layer in self.layers.values())


# program: Projections
def get_inputs():
    return [torch.randn(2, 5, 8)]
