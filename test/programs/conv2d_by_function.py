"""Convolutions whose weights are arguments, in every spelling of their numbers."""

import torch
import torch.nn.functional as F


def convolutions(x, w, b, g, line, taps):
    return (
        F.conv2d(x, w, b, stride=2, padding=1),
        torch.conv2d(x, w, padding=(2, 0), dilation=2),
        F.conv2d(input=x, weight=g, bias=None, groups=2),
        F.conv2d(x[0], w, b),
        F.conv1d(line, taps, stride=3),
        torch.nn.functional.conv1d(line, taps, padding="same"),
        F.conv1d(line.transpose(1, 2).contiguous().transpose(1, 2), taps.flip(-1), padding=2),
    )


def get_inputs():
    return [
        torch.randn(2, 4, 7, 6),
        torch.randn(5, 4, 3, 3),
        torch.randn(5),
        torch.randn(6, 2, 2, 3),
        torch.randn(2, 3, 11),
        torch.randn(4, 3, 3),
    ]
