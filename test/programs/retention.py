"""Retention (RetNet) in its parallel form: a decay by distance instead of a softmax."""

import torch


def retention(q, k, v):
    heads, n = q.shape[1], q.shape[2]
    gamma = 1 - torch.exp2(-5.0 - torch.arange(heads, dtype=torch.float32))
    index = torch.arange(n)
    distance = index[:, None] - index[None, :]
    decay = torch.where(distance >= 0, gamma[:, None, None] ** distance.clamp(min=0), 0.0)
    decay = decay / decay.sum(dim=-1, keepdim=True).sqrt()
    scores = q @ k.transpose(-1, -2) * decay
    scores = scores / scores.detach().abs().sum(dim=-1, keepdim=True).clamp(min=1)
    return scores @ v


def get_inputs():
    return [torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 5)]
