"""Layers whose every second output is added to an earlier one."""

import torch
from torch import nn


class SkipMLP(nn.Module):
    def __init__(self, sizes=(6, 8, 8, 8, 3), act="elu"):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.act = {"elu": nn.ELU(), "selu": nn.SELU()}[act]

    def forward(self, x):
        kept = None
        for i, layer in enumerate(self.layers[:-1]):
            x = self.act(layer(x))
            if i % 2 == 0:
                x = x if kept is None else x + kept
                kept = x
        return self.layers[-1](x)


def get_inputs():
    return [torch.randn(5, 6)]
