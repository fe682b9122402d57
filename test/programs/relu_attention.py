"""ReLU attention: scores through a ReLU, divided by the length, causal."""

import torch
from torch import nn


class ReluAttention(nn.Module):
    def __init__(self, dim=12, heads=3):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = [t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1)]
        sim = q @ k.mT * self.scale
        causal = torch.ones(n, n, dtype=torch.bool).tril()
        attn = torch.relu(sim) * causal / n
        return self.to_out((attn @ v).transpose(1, 2).reshape(b, n, d))


def get_inputs():
    return [torch.randn(2, 5, 12)]
