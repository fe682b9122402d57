"""Group norm and SiLU, the opening of a diffusion block."""

import torch
import torch.nn as nn


class NormAct(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels)
        self.act = nn.SiLU()

    def forward(self, x, temb):
        return self.act(self.norm(x)) + temb[:, :, None, None]


def get_init_inputs():
    return [32, 8]


def get_inputs():
    return [torch.randn(2, 32, 12, 10), torch.randn(2, 32)]
