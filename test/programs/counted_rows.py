"""Rows repeated by counts that are data, to a length that is given."""

import torch


def repeated(x, counts):
    repeated = torch.repeat_interleave(x, counts, 0, output_size=7)
    return repeated * 2, repeated.sum(0)


def get_inputs():
    return [torch.randn(4, 6), torch.tensor([1, 0, 4, 2])]
