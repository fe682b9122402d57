"""Attention weights under a causal mask."""

import torch


def causal_softmax(scores, scale=0.125):
    n = scores.shape[-1]
    rows = torch.arange(scores.shape[-2], device=scores.device).unsqueeze(-1)
    columns = torch.arange(n, device=scores.device)
    masked = (scores * scale).masked_fill(columns > rows, float("-inf"))
    return masked.softmax(dim=-1)


def get_inputs():
    return [torch.randn(4, 8, 64, 64)]
