"""Pooling over windows of many places, which are folded over as axes: overlapping, padded, dilated, and of volumes."""

import torch
import torch.nn.functional as F


def pools(x, volume):
    a = F.max_pool2d(x, 5, 1, 2)
    b = F.max_pool2d(x, (4, 3), 2, (1, 1), dilation=(1, 2), ceil_mode=True)
    c = F.avg_pool2d(x, 4, 3, 1, ceil_mode=True, count_include_pad=False)
    return a, b, c, F.max_pool3d(volume, 3, 2, 1), F.avg_pool3d(volume, (2, 3, 2), ceil_mode=True)


def get_inputs():
    return [torch.randn(2, 2, 9, 8), torch.randn(2, 5, 6, 4)]
