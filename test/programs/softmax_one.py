"""Softmax with one more in the denominator."""

import torch


def softmax_one(x, dim=-1):
    m = torch.clamp(x.amax(dim=dim, keepdim=True), min=0)
    e = torch.exp(x - m)
    return e / (torch.exp(-m) + e.sum(dim=dim, keepdim=True))


def get_inputs():
    return [torch.randn(3, 20)]
