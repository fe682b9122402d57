"""The snake activation with a learned frequency."""

import torch
from torch import nn


class Snake(nn.Module):
    def __init__(self, channels, alpha=1.0, alpha_logscale=True):
        super().__init__()
        self.alpha_logscale = alpha_logscale
        self.alpha = (
            nn.Parameter(torch.zeros(channels) * alpha)
            if alpha_logscale
            else nn.Parameter(torch.ones(channels) * alpha)
        )
        self.no_div_by_zero = 1e-9

    def forward(self, x):
        alpha = self.alpha.unsqueeze(0).unsqueeze(-1)
        if self.alpha_logscale:
            alpha = torch.exp(alpha)
        return x + (1.0 / (alpha + self.no_div_by_zero)) * torch.sin(x * alpha).pow(2)


def get_inputs():
    return [torch.randn(3, 8, 20)]


def get_init_inputs():
    return [8]
