"""Transposed convolutions whose weights are arguments."""

import torch
import torch.nn.functional as F


def transposed(x, w, b, depthwise, line, taps, volume, kernel):
    return (
        F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        F.conv_transpose2d(x, depthwise, groups=x.shape[1], stride=(1, 3)),
        torch.conv_transpose1d(line, taps, stride=2, dilation=3),
        F.conv_transpose1d(line[0], taps),
        F.conv_transpose3d(volume, kernel, padding=(1, 0, 1), stride=(2, 1, 1)),
    )


def get_inputs():
    return [
        torch.randn(2, 4, 5, 4),
        torch.randn(4, 4, 3, 3),
        torch.randn(4),
        torch.randn(4, 2, 2, 3),
        torch.randn(2, 3, 5),
        torch.randn(3, 2, 3),
        torch.randn(1, 2, 3, 3, 2),
        torch.randn(2, 3, 3, 2, 3),
    ]
