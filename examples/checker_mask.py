"""A constant mask from index arithmetic."""

import torch


def checker_mask(x):
    rows = torch.arange(x.shape[0]).unsqueeze(1)
    columns = torch.arange(x.shape[1]).unsqueeze(0)
    return torch.where((rows + columns) % 2 == 0, x, torch.zeros_like(x))


def get_inputs():
    return [torch.randn(64, 96)]
