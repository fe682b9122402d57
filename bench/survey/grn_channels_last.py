"""ConvNeXt V2 global response norm on channels-last activations after GELU."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GrnChannelsLast(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(1, 1, 1, dim) * 0.1)
        self.beta = nn.Parameter(torch.zeros(1, 1, 1, dim))

    def forward(self, x):
        x = F.gelu(x)
        gx = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
        nx = gx / (gx.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


def get_init_inputs():
    return [384]


def get_inputs():
    return [torch.randn(24, 56, 56, 384)]
