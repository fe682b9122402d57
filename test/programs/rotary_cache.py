"""A rotary embedding with tables in buffers."""

import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, max_seq_len=64, base=10000.0):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self.max_seq_len = max_seq_len

    def forward(self, x):
        b, h, t, d = x.shape
        pos = torch.arange(t, device=x.device, dtype=self.inv_freq.dtype)
        freqs = pos[:, None] * self.inv_freq[None, :]
        emb = torch.cat([freqs, freqs], dim=-1)
        cos, sin = emb.cos()[None, None], emb.sin()[None, None]
        x1, x2 = x.chunk(2, dim=-1)
        rot = torch.cat((-x2, x1), dim=-1)
        return (x * cos + rot * sin).type_as(x)


def get_inputs():
    return [torch.randn(2, 3, 10, 16)]


def get_init_inputs():
    return [16]
