"""Cyclic shift and partition into windows of a Swin transformer, with the norm before it, in float16."""
# surveyed: swin_shift_partition
# program: ShiftedWindows

import torch
from torch import nn


def window_partition(x, window_size):
    B, H, W, C = x.shape
    x = x.view(B, H // window_size, window_size, W // window_size, window_size, C)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size * window_size, C)


class ShiftedWindows(nn.Module):
    def __init__(self, dim, window_size=7, shift_size=3):
        super().__init__()
        self.norm = nn.LayerNorm(dim, dtype=torch.float16)
        self.window_size = window_size
        self.shift_size = shift_size

    def forward(self, x):
        x = self.norm(x)
        x = torch.roll(x, shifts=(-self.shift_size, -self.shift_size), dims=(1, 2))
        return window_partition(x, self.window_size)


def get_inputs():
    return [torch.randn(66, 168, 168, 96, dtype=torch.float16)]


def get_init_inputs():
    return [96]
