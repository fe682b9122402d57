"""Exponential smoothing along time, written into a preallocated tensor."""

import torch


def exponential_smoothing(x, alpha=0.3):
    out = torch.empty_like(x)
    out[:, 0] = x[:, 0]
    for t in range(1, x.shape[1]):
        out[:, t] = alpha * x[:, t] + (1 - alpha) * out[:, t - 1]
    return out


def get_inputs():
    return [torch.randn(70, 33)]
