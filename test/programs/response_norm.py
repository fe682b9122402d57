"""Local response normalisation."""

import torch
import torch.nn as nn


class ResponseNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lrn = nn.LocalResponseNorm(3)

    def forward(self, x):
        return self.lrn(x)


def get_inputs():
    return [torch.randn(2, 6, 4, 5)]


def get_init_inputs():
    return []
