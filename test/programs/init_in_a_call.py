"""Functions of torch.nn.init in the call of a program: they write."""

import torch
import torch.nn as nn


def filled(x):
    a = x * 2
    nn.init.zeros_(a[1:])
    b = torch.empty(4)
    nn.init.constant_(b, 3.0)
    c = torch.empty_like(x)
    nn.init.ones_(c)
    return a, b, c


def get_inputs():
    return [torch.randn(4)]
