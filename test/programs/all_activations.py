"""Every activation module in a chain."""

import torch
import torch.nn as nn


class AllActivations(nn.Module):
    def __init__(self):
        super().__init__()
        self.acts = nn.ModuleList(
            [
                nn.ReLU(),
                nn.Sigmoid(),
                nn.Tanh(),
                nn.SiLU(),
                nn.GELU(),
                nn.SELU(),
                nn.Hardsigmoid(),
                nn.Softplus(),
                nn.Softsign(),
                nn.ELU(alpha=0.7),
                nn.Hardtanh(-1, 1),
                nn.GELU("tanh"),
                nn.CELU(),
                nn.Mish(inplace=False),
                nn.Hardswish(),
                nn.Hardshrink(),
                nn.Softshrink(),
                nn.Tanhshrink(),
                nn.Threshold(0.1, 20),
                nn.LogSigmoid(),
                nn.ReLU6(),
            ]
        )

    def forward(self, x):
        return [act(x) for act in self.acts]


def get_inputs():
    return [torch.randn(16, 64)]


def get_init_inputs():
    return []
