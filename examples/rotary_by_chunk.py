"""Rotary position embedding as language models write it, with the halves of the last axis swapped."""

import torch


def _rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotary_by_chunk(x, cosine, sine):
    return x * cosine + _rotate_half(x) * sine


def get_inputs():
    return [torch.randn(2, 64, 4, 32), torch.randn(64, 1, 32), torch.randn(64, 1, 32)]
