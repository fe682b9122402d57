"""Properties of a module."""

import torch
from torch import nn


class ScaleProperty(nn.Module):
    def __init__(self, dim, log_scale=True):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(dim))
        self.log_scale = log_scale
        self._eps = 1e-3

    @property
    def scale(self):
        return self.raw.exp() if self.log_scale else self.raw

    @property
    def eps(self):
        return self._eps

    @eps.setter
    def eps(self, v):
        self._eps = v

    def extra_repr(self):
        return f"log_scale={self.log_scale}"

    def reset_parameters(self):
        nn.init.normal_(self.raw, std=0.02)

    def forward(self, x, *, invert: bool = False):
        s = self.scale + self.eps
        return x / s if invert else x * s


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return [8]
