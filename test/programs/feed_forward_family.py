"""Gated feed-forward layers, chosen by a name."""

import torch
from torch import nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    def __init__(self, dim, mult=2, glu="geglu", bias=False):
        super().__init__()
        hidden = int(2 * dim * mult / 3)
        hidden = 4 * ((hidden + 3) // 4)
        self.kind = glu
        if glu in ("geglu", "swiglu", "reglu", "bilinear"):
            self.w_in = nn.Linear(dim, 2 * hidden, bias=bias)
        else:
            self.w_in = nn.Linear(dim, hidden, bias=bias)
        self.w_out = nn.Linear(hidden, dim, bias=bias)

    def forward(self, x):
        if self.kind == "geglu":
            a, g = self.w_in(x).chunk(2, dim=-1)
            h = a * F.gelu(g)
        elif self.kind == "swiglu":
            a, g = self.w_in(x).chunk(2, dim=-1)
            h = a * F.silu(g)
        elif self.kind == "bilinear":
            a, g = self.w_in(x).tensor_split(2, dim=-1)
            h = a * g
        else:
            h = F.relu(self.w_in(x)).square()
        return self.w_out(h)


class Mixer(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.parts = nn.ModuleList(FeedForward(dim, glu=kind) for kind in ("geglu", "swiglu", "bilinear", "relu2"))

    def forward(self, x):
        return sum(x + part(x) for part in self.parts)


# program: Mixer
def get_inputs():
    return [torch.randn(2, 3, 6)]
