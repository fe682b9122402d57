"""Windows of an image as batches."""

import torch


def window_partition(x, window_size: int = 4):
    B, H, W, C = x.shape
    x = x.view(B, H // window_size, window_size, W // window_size, window_size, C)
    windows = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, window_size, window_size, C)
    return windows


def get_inputs():
    return [torch.randn(2, 8, 8, 3)]
