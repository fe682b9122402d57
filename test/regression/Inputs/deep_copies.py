import copy

import torch
from torch import nn


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.LayerNorm(4)
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(2)])
        self.scale = nn.Parameter(torch.ones(4))
        self.shift = copy.deepcopy(self.scale)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.scale + self.shift
