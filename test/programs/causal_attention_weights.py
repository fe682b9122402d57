"""Scaled scores under a causal mask made by triu."""

import math

import torch
import torch.nn.functional as F


def causal_attention_weights(scores, head_dim: int = 64):
    T = scores.size(-1)
    mask = torch.triu(torch.ones(T, T, dtype=torch.bool, device=scores.device), diagonal=1)
    scores = scores / math.sqrt(head_dim)
    scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    return F.softmax(scores.float(), dim=-1).to(scores.dtype)


def get_inputs():
    return [torch.randn(2, 3, 12, 12)]
