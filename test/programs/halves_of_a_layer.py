"""A layer in bfloat16 between operators in float32, as mixed precision is written by hand."""

import torch
from torch import nn
import torch.nn.functional as F


class MixedMLP(nn.Module):
    def __init__(self, dim=12, hidden=16):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, hidden).to(torch.bfloat16)
        self.fc2 = nn.Linear(hidden, dim).to(torch.bfloat16)
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        h = self.norm(x.float()).to(torch.bfloat16)
        h = self.fc2(F.gelu(self.fc1(h), approximate="tanh"))
        return x + (self.gain * h.float()).to(x.dtype)


def get_inputs():
    return [torch.randn(4, 12, dtype=torch.bfloat16)]
