"""Equal blocks of attention one after another, with a mask in the type of the parameters."""

import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask):
        batch, length, dim = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(dim // self.heads) + mask
        mixed = torch.softmax(scores, dim=-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, length, dim))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attention = SelfAttention(dim, heads)

    def forward(self, x, mask):
        return x + self.attention(self.norm(x), mask)


class Encoder(nn.Module):
    def __init__(self, dim, heads, depth):
        super().__init__()
        self.layers = nn.ModuleList([Layer(dim, heads) for _ in range(depth)])

    def forward(self, x, attention_mask):
        mask = attention_mask[:, None, None, :].to(dtype=next(self.parameters()).dtype)
        mask = (1.0 - mask) * torch.finfo(mask.dtype).min
        x = x + torch.zeros(x.shape[-1], dtype=x.dtype, layout=x.layout, device=x.device)
        for layer in self.layers:
            x = layer(x, mask)
        return x


def get_inputs():
    return [torch.randn(2, 5, 8), torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])]


def get_init_inputs():
    return [8, 2, 3]
