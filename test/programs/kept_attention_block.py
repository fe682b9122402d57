"""A transformer block: its linear layers and its attention are PyTorch's, the rest is fused."""

# options: --keep-torch linear --keep-torch F.scaled_dot_product_attention

import torch
import torch.nn.functional as F
from torch import nn


class KeptAttentionBlock(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.norm = nn.RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (each.view(b, t, self.heads, c // self.heads).transpose(1, 2) for each in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.scale * F.silu(y)


def get_inputs():
    return [torch.randn(2, 6, 16)]
