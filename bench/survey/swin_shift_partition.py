"""Swin block without its products: norm, cyclic shift and 7x7 window partition; reverse of attended windows, residual, norm."""

# small: 48=1

import torch
import torch.nn as nn


class SwinShiftPartition(nn.Module):
    def __init__(self, dim, resolution, window=7, shift=3):
        super().__init__()
        self.resolution = resolution
        self.window = window
        self.shift = shift
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)

    def forward(self, x, attn_windows):
        h = w = self.resolution
        ws = self.window
        b, _, c = x.shape
        y = self.norm1(x).view(b, h, w, c)
        y = torch.roll(y, shifts=(-self.shift, -self.shift), dims=(1, 2))
        y = y.view(b, h // ws, ws, w // ws, ws, c)
        windows = y.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, ws * ws, c)

        z = attn_windows.view(b, h // ws, w // ws, ws, ws, c)
        z = z.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, c)
        z = torch.roll(z, shifts=(self.shift, self.shift), dims=(1, 2))
        out = x + z.view(b, h * w, c)
        return windows, out, self.norm2(out)


def get_init_inputs():
    return [96, 56]


def get_inputs():
    return [torch.randn(48, 56 * 56, 96), torch.randn(48 * 64, 49, 96)]
