"""Attention with linear biases (ALiBi), causal, as in MPT and BLOOM."""

# program: AlibiAttention

import math

import torch
from torch import nn


def get_slopes(n):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return get_slopes_power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]


class AlibiAttention(nn.Module):
    def __init__(self, dim=12, heads=6, max_len=16):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        slopes = torch.tensor(get_slopes(heads)).view(heads, 1, 1)
        alibi = slopes * torch.arange(max_len).view(1, 1, max_len)
        mask = torch.triu(torch.full((max_len, max_len), float("-inf")), 1)
        self.register_buffer("alibi", alibi + mask)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(d // self.heads)
        scores = scores + self.alibi[:, :t, :t]
        weights = torch.softmax(scores, dim=-1)
        y = torch.einsum("bhij,bhjd->bhid", weights, v)
        return self.proj(y.transpose(1, 2).reshape(b, t, d))


def get_inputs():
    return [torch.randn(2, 7, 12)]
