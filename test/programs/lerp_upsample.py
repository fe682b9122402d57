"""Upsampling by the means of neighbours."""

import torch


def lerp_upsample(x):
    left = x[..., :-1]
    right = x[..., 1:]
    mid = torch.lerp(left, right, 0.5)
    out = torch.stack([left, mid], dim=-1).flatten(-2)
    return torch.cat([out, x[..., -1:]], dim=-1)


def get_inputs():
    return [torch.randn(2, 3, 8)]
