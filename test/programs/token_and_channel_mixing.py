"""Layers over tokens and over channels in turn (MLP-Mixer), and a spatial gate (gMLP)."""

from functools import partial

import torch
from torch import nn


class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.fn(self.norm(x)) + x


def FeedForward(dim, expansion_factor=2, dropout=0.0, dense=nn.Linear):
    inner_dim = int(dim * expansion_factor)
    return nn.Sequential(
        dense(dim, inner_dim), nn.GELU(), nn.Dropout(dropout), dense(inner_dim, dim), nn.Dropout(dropout)
    )


class SpatialGatingUnit(nn.Module):
    def __init__(self, dim, tokens):
        super().__init__()
        self.norm = nn.LayerNorm(dim // 2)
        self.proj = nn.Conv1d(tokens, tokens, 1)
        nn.init.constant_(self.proj.bias, 1.0)

    def forward(self, x):
        u, v = x.chunk(2, dim=-1)
        return u * self.proj(self.norm(v))


class Mixer(nn.Module):
    def __init__(self, dim=6, tokens=4, depth=2, classes=3):
        super().__init__()
        chan_first, chan_last = partial(nn.Conv1d, kernel_size=1), nn.Linear
        blocks = []
        for _ in range(depth):
            blocks.append(
                nn.Sequential(
                    PreNormResidual(dim, FeedForward(tokens, 2, 0.0, chan_first)),
                    PreNormResidual(dim, FeedForward(dim, 0.5, 0.0, chan_last)),
                )
            )
        self.blocks = nn.Sequential(*blocks)
        self.gate = SpatialGatingUnit(dim, tokens)
        self.head = nn.Linear(dim // 2, classes)

    def forward(self, x):
        return self.head(self.gate(self.blocks(x)).mean(dim=1))


# program: Mixer
def get_inputs():
    return [torch.randn(2, 4, 6)]
