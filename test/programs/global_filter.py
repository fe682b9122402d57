"""A global filter layer: a product with learnt weights between two Fourier transforms of images."""

import math

import torch
from torch import nn


class GlobalFilter(nn.Module):
    def __init__(self, dim=6, h=6, w=4):
        super().__init__()
        self.complex_weight = nn.Parameter(torch.randn(h, w, dim, 2, dtype=torch.float32) * 0.02)
        self.w = w
        self.h = h

    def forward(self, x, spatial_size=None):
        B, N, C = x.shape
        if spatial_size is None:
            a = b = int(math.sqrt(N))
        else:
            a, b = spatial_size
        x = x.view(B, a, b, C)
        x = x.to(torch.float32)
        x = torch.fft.rfft2(x, dim=(1, 2), norm="ortho")
        weight = torch.view_as_complex(self.complex_weight)
        x = x * weight
        x = torch.fft.irfft2(x, s=(a, b), dim=(1, 2), norm="ortho")
        x = x.reshape(B, N, C)
        return x


def get_inputs():
    return [torch.randn(2, 36, 6)]
