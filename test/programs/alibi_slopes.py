"""Causal attention with linear biases for each head (ALiBi), the slopes made by the constructor."""

import math

import torch
from torch import nn


def get_slopes(n):
    def get_slopes_power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio**i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    closest_power_of_2 = 2 ** math.floor(math.log2(n))
    return (
        get_slopes_power_of_2(closest_power_of_2) + get_slopes(2 * closest_power_of_2)[0::2][: n - closest_power_of_2]
    )


class ALiBiAttention(nn.Module):
    def __init__(self, dim=9, heads=3):
        super().__init__()
        self.heads = heads
        self.kqv = nn.Linear(dim, 3 * dim, bias=False)
        self.register_buffer("m", torch.tensor(get_slopes(heads))[:, None, None])

    def forward(self, x):
        batch_size, seq_len, _ = x.shape
        key, query, value = self.kqv(x).chunk(3, dim=-1)
        key = key.view(batch_size, seq_len, self.heads, -1).permute(0, 2, 3, 1)
        query = query.view(batch_size, seq_len, self.heads, -1).transpose(1, 2)
        value = value.view(batch_size, seq_len, self.heads, -1).transpose(1, 2)
        p = torch.arange(seq_len)
        bias = self.m * (p[None, :] - p[:, None])
        score = torch.matmul(query, key) / math.sqrt(query.shape[-1]) + bias
        mask = torch.tril(torch.ones(seq_len, seq_len))
        score = score.masked_fill(mask == 0, float("-inf"))
        out = torch.matmul(torch.softmax(score, dim=-1), value)
        return out.transpose(1, 2).reshape(batch_size, seq_len, -1)


# program: ALiBiAttention
def get_inputs():
    return [torch.randn(2, 5, 9)]
