"""Gemma 2's attention: a soft cap on the scores, a sliding window, heads of keys repeated."""

# program: GemmaAttention

import torch
from torch import nn


def sliding_window_mask(n, window):
    i = torch.arange(n)[:, None]
    j = torch.arange(n)[None, :]
    return (j <= i) & (i - j < window)


class GemmaAttention(nn.Module):
    def __init__(self, hidden_size=12, num_heads=4, num_kv_heads=2, head_dim=6, window=3, cap=5.0):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.head_dim = num_heads, num_kv_heads, head_dim
        self.window, self.cap = window, cap
        self.scaling = 12.0**-0.5
        self.qkv_proj = nn.Linear(hidden_size, (num_heads + 2 * num_kv_heads) * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_size, bias=False)

    def forward(self, hidden_states):
        batch, n, _ = hidden_states.shape
        qkv = self.qkv_proj(hidden_states)
        sizes = [self.num_heads * self.head_dim, self.num_kv_heads * self.head_dim, self.num_kv_heads * self.head_dim]
        xq, xk, xv = qkv.split(sizes, dim=-1)
        xq = xq.view(batch, -1, self.num_heads, self.head_dim)
        xk = xk.view(batch, -1, self.num_kv_heads, self.head_dim)
        xv = xv.view(batch, -1, self.num_kv_heads, self.head_dim)
        key = torch.repeat_interleave(xk, self.num_heads // self.num_kv_heads, dim=2)
        value = torch.repeat_interleave(xv, self.num_heads // self.num_kv_heads, dim=2)
        q, k, v = xq.transpose(1, 2) * self.scaling, key.transpose(1, 2), value.transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3))
        scores = torch.tanh(scores / self.cap) * self.cap
        scores = torch.where(sliding_window_mask(n, self.window), scores, -2.3819763e38)
        scores = torch.softmax(scores.float(), dim=-1).type_as(q)
        output = torch.matmul(scores, v)
        return self.o_proj(output.transpose(1, 2).contiguous().view(batch, n, -1))


def get_inputs():
    return [torch.randn(2, 7, 12)]
