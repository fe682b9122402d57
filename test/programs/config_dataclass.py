"""Modules made from a dataclass of options."""

# program: Net

from dataclasses import dataclass, field
from typing import Optional, Tuple

import torch
import torch.nn as nn


@dataclass
class Config:
    hidden: int = 32
    eps: float = 1e-6
    act: str = "silu"
    bias: bool = True
    scales: Tuple[float, ...] = (1.0, 0.5)
    extra: Optional[dict] = None
    names: list = field(default_factory=lambda: ["a", "b"])

    @property
    def half(self):
        return self.hidden // 2


ACT = {"silu": nn.SiLU, "gelu": nn.GELU, "relu": nn.ReLU}


class Block(nn.Module):
    def __init__(self, cfg: Config, idx: int):
        super().__init__()
        self.cfg = cfg
        self.act = ACT[cfg.act]()
        self.scale = cfg.scales[idx % len(cfg.scales)]
        self.w = nn.Parameter(torch.ones(cfg.half))
        self.b = nn.Parameter(torch.zeros(cfg.half)) if cfg.bias else None

    def forward(self, x):
        h = self.cfg.half
        a, b = x[..., :h], x[..., h:]
        y = self.act(a) * b * self.scale * self.w
        if self.b is not None:
            y = y + self.b
        return torch.cat([y, a], dim=-1)


class Net(nn.Module):
    def __init__(self, cfg=None):
        super().__init__()
        self.cfg = cfg or Config()
        self.blocks = nn.ModuleList(Block(self.cfg, i) for i in range(3))
        self.norm = nn.LayerNorm(self.cfg.hidden, eps=self.cfg.eps)

    def forward(self, x):
        for i, blk in enumerate(self.blocks):
            x = x + blk(x)
        return self.norm(x)


def get_inputs():
    return [torch.randn(4, 32)]


def get_init_inputs():
    return []
