"""Rows from a start that is data, and rows repeated by counts that are data."""

import torch


def windows(x, start, counts):
    window = x.narrow(1, start, 3)
    repeated = torch.repeat_interleave(x, counts, 0, output_size=7)
    return window.softmax(-1), repeated * 2, repeated.sum(0)


def get_inputs():
    return [torch.randn(4, 6), torch.tensor(2), torch.tensor([1, 0, 4, 2])]
