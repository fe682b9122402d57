"""Rotary positions on interleaved pairs."""

import torch


def rope_interleaved(x, freqs_cos, freqs_sin):
    xr, xi = x.float().reshape(x.shape[:-1] + (-1, 2)).unbind(-1)
    cos = freqs_cos.view(1, x.shape[1], 1, -1)
    sin = freqs_sin.view(1, x.shape[1], 1, -1)
    out_r = xr * cos - xi * sin
    out_i = xr * sin + xi * cos
    return torch.stack([out_r, out_i], dim=-1).flatten(3).type_as(x)


def get_inputs():
    return [torch.randn(2, 8, 4, 16), torch.randn(8, 8), torch.randn(8, 8)]
