"""Softmax over the last axis, written out by hand."""

import torch


def softmax(x):
    shifted = x - x.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def get_inputs():
    return [torch.randn(64, 1000)]
