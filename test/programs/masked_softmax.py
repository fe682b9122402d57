"""Softmax with a mask of what to keep."""

import torch
import torch.nn.functional as F


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return F.softmax(scores, dim=-1)


def get_inputs():
    m = torch.randint(0, 2, (3, 5, 16))
    m[..., 0] = 1
    return [torch.randn(3, 5, 16), m]
