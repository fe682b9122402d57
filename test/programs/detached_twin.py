"""A tensor and what is detached from it: one has a gradient."""

import torch
from torch import nn


class Total(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x, y):
        a = x * y * self.scale
        total = a.square().mean()
        return total, {"total": total.detach(), "a": a, "own": a.clone(), "same": a.view_as(a).detach()}, a.data


def get_inputs():
    return [torch.randn(3, 4), torch.randn(3, 4)]
