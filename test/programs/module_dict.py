"""Modules chosen from a ModuleDict."""

import torch
from torch import nn


class NormRouter(nn.Module):
    def __init__(self, kind: str = "b"):
        super().__init__()
        self.acts = nn.ModuleDict({"a": nn.ReLU(), "b": nn.SiLU(), "c": nn.PReLU(8)})
        self.norms = nn.ModuleDict()
        for name in ("pre", "post"):
            self.norms[name] = nn.LayerNorm(8)
        self.kind = kind

    def forward(self, x):
        for name, layer in self.norms.items():
            if name == "pre":
                x = layer(x)
        x = self.acts[self.kind](x)
        return self.norms["post"](x) if "post" in self.norms else x


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return ["c"]
