"""Coordinates as further channels."""

import torch


def add_coordinates(x):
    b, _, h, w = x.size()
    yy = torch.arange(h, device=x.device, dtype=x.dtype).view(1, 1, h, 1).expand(b, 1, h, w) / (h - 1) * 2 - 1
    xx = torch.linspace(-1, 1, w, device=x.device).view(1, 1, 1, w).expand(b, 1, h, w)
    return torch.cat([x, xx.type_as(x), yy], dim=1)


def get_inputs():
    return [torch.randn(2, 3, 8, 6)]
