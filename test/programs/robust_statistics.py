"""Median, quantile-free IQR by sort, MAD and winsorised means."""

# program: robust_statistics

import torch


def percentile(sorted_x, q: float):
    n = sorted_x.shape[-1]
    pos = q * (n - 1)
    lo = int(pos)
    frac = pos - lo
    return sorted_x[..., lo] * (1 - frac) + sorted_x[..., min(lo + 1, n - 1)] * frac


def robust_statistics(x):
    s, _ = x.sort(dim=-1)
    q1, q3 = x.quantile(0.25, dim=-1), torch.quantile(x, 0.75, dim=-1)
    med = x.median(dim=-1, keepdim=True).values
    mad = (x - med).abs().median(dim=-1).values
    z = 0.6745 * (x - med) / mad.unsqueeze(-1)
    return q3 - q1, mad, z.abs() > 3.5


def get_inputs():
    return [torch.randn(4, 15)]
