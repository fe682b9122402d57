"""Blocks of 4 x 4 of which only the product of two axes tells how many there are."""

import torch


def centred_blocks(x, w):
    y = x.reshape(-1, 4, 4, 3)
    y = y - y.mean((1, 2), keepdim=True)
    return (torch.tanh(y.transpose(1, 2)) * w).sum(-1)


def get_inputs():
    return [torch.randn(6, 8, 3), torch.randn(3)]
