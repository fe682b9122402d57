# Groups of several long channels: each channel has a loop of its own, outside of the one over its elements.
import torch
import torch.nn.functional as F


def long_groups(x, weight, bias):
    return F.silu(F.group_norm(x, 2, weight, bias))


def get_inputs():
    return [torch.randn(2, 6, 90, 70), torch.randn(6), torch.randn(6)]
