"""The Charbonnier loss."""

import torch


def charbonnier(pred, target, eps: float = 1e-3):
    return torch.mean(torch.sqrt((pred - target) ** 2 + eps**2))


def get_inputs():
    return [torch.randn(4, 33), torch.randn(4, 33)]
