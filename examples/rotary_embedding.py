"""Rotary position embedding by halves."""

import torch


def _rotate_half(x):
    half = x.shape[-1] // 2
    first = x[..., :half]
    second = x[..., half:]
    return torch.cat((-second, first), dim=-1)


def rotary_embedding(q, k, cos, sin):
    cos = cos.unsqueeze(0)
    sin = sin.unsqueeze(0)
    return q * cos + _rotate_half(q) * sin, k * cos + _rotate_half(k) * sin


def get_inputs():
    return [
        torch.randn(8, 128, 64),
        torch.randn(8, 128, 64),
        torch.randn(128, 64),
        torch.randn(128, 64),
    ]
