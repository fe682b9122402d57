# program: BiasedScores
"""Sizes whose numbers Python needs: slopes of heads, a table of masks by length, a window of a power of two."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def slopes_of(heads):
    def powers(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(heads).is_integer():
        return powers(heads)
    below = 2 ** math.floor(math.log2(heads))
    return powers(below) + slopes_of(2 * below)[0::2][: heads - below]


class BiasedScores(nn.Module):
    def __init__(self):
        super().__init__()
        self.masks = {}

    def mask(self, x):
        length = x.shape[-1]
        if length not in self.masks:
            self.masks[length] = torch.tril(torch.ones(length, length, device=x.device))
        return self.masks[length]

    def forward(self, scores, signal):
        heads, length = scores.shape[1], scores.shape[-1]
        places = torch.arange(length, device=scores.device)
        slopes = torch.tensor(slopes_of(heads), device=scores.device)
        biased = scores + slopes[:, None, None] * (places[None] - places[:, None])
        weights = biased.masked_fill(self.mask(scores) == 0, -1e4).softmax(-1)
        n = signal.shape[-1]
        padded = signal if n & (n - 1) == 0 else F.pad(signal, (0, (1 << n.bit_length()) - n))
        gains = torch.tensor([1.0] + [0.5] * (padded.shape[-1] - 1), device=signal.device)
        return weights, padded * gains, signal[:, : round(n / 4)]


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(2, 6, 5, 5), torch.randn(3, 11)]
