"""Statistics of selected elements, where all may be equal: the deviation's gradient is 0 there, as PyTorch has it."""

import torch


def f(x):
    mask = x > 0
    signs = x.sign()
    return x[mask].std(), (x * 0)[mask].std(), signs[mask].var()


def get_inputs():
    return [torch.randn(4, 6)]
