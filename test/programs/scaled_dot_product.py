"""Attention in three lines, with an optional mask, and its weights returned."""

import math
from typing import Optional

import torch


def attention(query, key, value, mask: Optional[torch.Tensor] = None, dropout=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


def get_inputs():
    return [torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 4), torch.rand(2, 1, 5, 6) > 0.3]
