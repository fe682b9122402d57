"""Relative positions in logarithmic buckets."""

# program: relative_position_bucket

import torch


def rel_bucket(q: int = 6, k: int = 7, num_buckets: int = 8, max_distance: int = 16):
    context_position = torch.arange(q, dtype=torch.long)[:, None]
    memory_position = torch.arange(k, dtype=torch.long)[None, :]
    rel = memory_position - context_position
    n = num_buckets // 2
    ret = (rel > 0).to(torch.long) * n
    rel = torch.abs(rel)
    max_exact = n // 2
    is_small = rel < max_exact
    large = max_exact + (torch.log(rel.float() / max_exact) / 0.8 * (n - max_exact)).to(torch.long)
    large = torch.min(large, torch.full_like(large, n - 1))
    ret += torch.where(is_small, rel, large)
    return ret


def relative_position_bucket(x):
    return x + rel_bucket(*x.shape)


def get_inputs():
    return [torch.randn(6, 7)]
