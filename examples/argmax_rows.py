"""The place and value of the greatest element of each row."""

import torch


def argmax_rows(x):
    values, indices = x.max(dim=1)
    return values, indices


def get_inputs():
    return [torch.randn(128, 777)]
