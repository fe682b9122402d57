"""Sequential, ModuleList and ModuleDict."""

from collections import OrderedDict

import torch
from torch import nn


class ModuleContainers(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            OrderedDict(
                [
                    ("norm", nn.LayerNorm(16)),
                    ("act", nn.GELU()),
                    ("drop", nn.Dropout(0.0)),
                ]
            )
        )
        self.heads = nn.ModuleDict({"a": nn.Sequential(nn.ReLU(), nn.Softmax(dim=-1)), "b": nn.Tanh()})
        self.scales = nn.ParameterDict({"a": nn.Parameter(torch.ones(16)), "b": nn.Parameter(torch.ones(16))})
        self.lst = nn.ParameterList([nn.Parameter(torch.ones(16)) for _ in range(2)])

    def forward(self, x):
        x = self.body(x)
        out = {k: head(x) * self.scales[k] for k, head in self.heads.items()}
        out["sum"] = sum(out.values()) * self.lst[0] + self.lst[1]
        return out


def get_inputs():
    return [torch.randn(4, 16)]


def get_init_inputs():
    return []
