"""Sizes among the numbers of lists and tuples: conditions, of which each is a case of the program."""

import torch


def sizes_in_lists(x):
    rows, width = x.shape
    if width in (6, 8):
        x = x * 2
    place = [5, 6, 8].index(width) if width in [5, 6, 8] else 7
    return x * (place + 1) + sorted([width, 5, 100])[1]


def get_inputs():
    return [torch.randn(3, 6)]
