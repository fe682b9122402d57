"""Running mean along the last axis."""

import torch


def cumulative_mean(x):
    counts = torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype)
    return x.cumsum(dim=-1) / counts


def get_inputs():
    return [torch.randn(32, 256)]
