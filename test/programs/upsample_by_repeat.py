"""Nearest upsampling by repeat_interleave and expand."""

import torch


def upsample_by_repeat(x):
    return x.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3), x[:, :, :, None, :, None].expand(
        -1, -1, -1, 2, -1, 2
    ).reshape(x.size(0), x.size(1), x.size(2) * 2, x.size(3) * 2)


def get_inputs():
    return [torch.randn(2, 3, 4, 5)]
