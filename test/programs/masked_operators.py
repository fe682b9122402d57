"""Reductions and normalisations of the elements that a mask names."""

import torch
from torch import masked


def f(x, mask):
    share = masked.softmax(x, -1, mask=mask)
    spread = masked.std(x, dim=(0, 2), keepdim=True, correction=0, mask=mask)
    centred = (x - masked.mean(x, dim=(0, 2), keepdim=True, mask=mask)) / (spread + 1e-5)
    extremes = masked.amax(x, dim=1, mask=mask) - masked.amin(x, dim=1, mask=mask)
    length = masked.norm(x, 2.0, dim=-1, keepdim=True, mask=mask)
    total = torch.masked.logsumexp(x, dim=-1, mask=mask)
    running = masked.cumsum(x, dim=-1, mask=mask)
    return share, centred, extremes, masked.normalize(x, 2.0, -1, mask=mask), length, total, running


def get_inputs():
    mask = torch.rand(9, 16) > 0.4
    mask[:, 0] = True
    mask[3] = False
    mask[3, 5] = True
    return [torch.randn(4, 9, 16), mask]
