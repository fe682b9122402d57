"""Qwen3-style query/key RMS norm per head followed by rotary embedding, given back head-first."""

import torch
import torch.nn as nn


class QkNormRotary(nn.Module):
    def __init__(self, head_dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.q_weight = nn.Parameter(torch.ones(head_dim))
        self.k_weight = nn.Parameter(torch.ones(head_dim))

    def rms(self, x, weight):
        dtype = x.dtype
        x = x.to(torch.float32)
        var = x.pow(2).mean(-1, keepdim=True)
        return (weight * (x * torch.rsqrt(var + self.eps))).to(dtype)

    def rotate_half(self, x):
        half = x.shape[-1] // 2
        return torch.cat((-x[..., half:], x[..., :half]), dim=-1)

    def forward(self, q, k, cos, sin):
        # q: (B, T, H, D), k: (B, T, Hkv, D), cos/sin: (T, D)
        q = self.rms(q, self.q_weight).transpose(1, 2)
        k = self.rms(k, self.k_weight).transpose(1, 2)
        cos = cos[None, None]
        sin = sin[None, None]
        q = q * cos + self.rotate_half(q) * sin
        k = k * cos + self.rotate_half(k) * sin
        return q, k


def get_init_inputs():
    return [128]


def get_inputs():
    t, d = 3000, 128
    freq = 1.0 / (10000.0 ** (torch.arange(0, d, 2).float() / d))
    angle = torch.arange(t).float()[:, None] * freq[None, :]
    angle = torch.cat((angle, angle), dim=-1)
    return [
        torch.randn(4, t, 32, d, dtype=torch.bfloat16),
        torch.randn(4, t, 8, d, dtype=torch.bfloat16),
        angle.cos().to(torch.bfloat16),
        angle.sin().to(torch.bfloat16),
    ]
