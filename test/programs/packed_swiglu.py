"""A gated unit of one packed projection."""

import torch
import torch.nn.functional as F


def packed_swiglu(x):
    gate, up = x.chunk(2, dim=-1)
    return F.silu(gate) * up


def get_inputs():
    return [torch.randn(3, 5, 64)]
