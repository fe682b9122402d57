"""Involution: every position sums its 7x7 neighbourhood with its own per-group weights."""

# small: 32=2 64=8 56=9

import torch
import torch.nn.functional as F


def involution_aggregate(x, weight):
    b, c, h, w = x.shape
    k = 7
    groups = weight.shape[1] // (k * k)
    weight = weight.view(b, groups, k * k, h, w).unsqueeze(2)
    out = F.unfold(x, kernel_size=k, padding=(k - 1) // 2)
    out = out.view(b, groups, c // groups, k * k, h, w)
    return (weight * out).sum(dim=3).view(b, c, h, w)


def get_inputs():
    return [
        torch.randn(32, 64, 56, 56, dtype=torch.float16),
        torch.randn(32, 4 * 49, 56, 56, dtype=torch.float16) * 0.1,
    ]
