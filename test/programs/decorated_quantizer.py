import functools

import torch
from torch import nn


@torch.no_grad()
def quantize_per_token(x, bits=8):
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-5) / (2 ** (bits - 1) - 1)
    return (x / scale).round() * scale


class QuantizedInput(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.quantizer = functools.partial(quantize_per_token, bits=bits) if bits != 8 else quantize_per_token
        self.scale = nn.Parameter(torch.ones(24))

    def forward(self, x):
        return self.quantizer(x) * self.scale


def get_init_inputs():
    return []


def get_inputs():
    return [torch.randn(6, 24)]
