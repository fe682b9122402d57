"""Inputs that go to *args and **flags that nobody gives."""

import torch
from torch import nn

# program: FurtherInputs


class FurtherInputs(nn.Module):
    def forward(self, x, *others, **flags):
        if flags.get("doubled", True):
            x = x * 2
        for other in others:
            x = x + other.sum(-1, keepdim=True)
        return x, *others[1:]


def get_inputs():
    return [torch.randn(3, 4), torch.randn(3, 2), torch.randn(3, 5)]
