"""Rotated queries and keys, plain scores, a causal mask made in the call."""

import torch


def rotate_half(x):
    x = x.reshape(*x.shape[:-1], -1, 2)
    return torch.stack((-x[..., 1], x[..., 0]), dim=-1).flatten(-2)


def attend(q, k, v, freqs):
    q = q * freqs.cos() + rotate_half(q) * freqs.sin()
    k = k * freqs.cos() + rotate_half(k) * freqs.sin()
    dots = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    i, j = dots.shape[-2:]
    mask = torch.ones((i, j), dtype=torch.bool, device=q.device).triu(j - i + 1)
    return torch.einsum("bhij,bhjd->bhid", dots.masked_fill(mask, -torch.finfo(dots.dtype).max).softmax(-1), v)


# program: attend
def get_inputs():
    return [torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4), torch.randn(5, 4)]
