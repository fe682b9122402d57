"""Pixels folded into channels by hand and by PyTorch."""

import torch
import torch.nn.functional as F


def fold_pixels(x):
    return F.pixel_unshuffle(x, 2), F.pixel_shuffle(x, upscale_factor=2)


def get_inputs():
    return [torch.randn(2, 4, 6, 8)]
