"""A rotary embedding with buffers that are not saved."""

import torch
from torch import nn


class Rotary(nn.Module):
    inv_freq: torch.Tensor

    def __init__(self, dim, max_pos=32, base=10000):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.int64).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.register_buffer("none_buf", None)
        t = torch.arange(max_pos).type_as(self.inv_freq)
        freqs = torch.outer(t, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos(), persistent=False)
        self.register_buffer("sin_cached", emb.sin(), persistent=False)

    @staticmethod
    def rotate_half(x):
        x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
        return torch.cat((-x2, x1), dim=-1)

    def forward(self, q, k):
        seq_len = q.shape[-2]
        cos, sin = self.cos_cached[:seq_len].to(q.dtype), self.sin_cached[:seq_len].to(q.dtype)
        return q * cos + self.rotate_half(q) * sin, k * cos + self.rotate_half(k) * sin


def get_inputs():
    return [torch.randn(2, 3, 7, 16), torch.randn(2, 3, 7, 16)]


def get_init_inputs():
    return [16]
