"""Mixes each position with the one before it."""

import torch
import torch.nn.functional as F


def shift_tokens(x, mix):
    previous = F.pad(x, (0, 0, 1, 0))[:, :-1]
    return x * mix + previous * (1 - mix)


def get_inputs():
    return [torch.randn(4, 64, 128), torch.rand(128)]
