"""Membership in a set of numbers."""

# no gradient: no argument needs a gradient

import torch


def membership(x):
    return torch.isin(x, torch.tensor([1, 3, 5])), torch.take(x, x % 6)


def get_inputs():
    return [torch.randint(0, 9, (5, 4))]
