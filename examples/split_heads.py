"""From packed projections to heads, scaled."""

import torch


def split_heads(qkv, heads: int = 4):
    b, t, c = qkv.shape
    q, k, v = qkv.view(b, t, 3, heads, c // (3 * heads)).permute(2, 0, 3, 1, 4).unbind(0)
    return q * (q.shape[-1] ** -0.5), k, v


def get_inputs():
    return [torch.randn(2, 16, 192)]
