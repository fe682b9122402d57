"""Convolutions with the weight norm of nn.utils, as temporal convolutional networks have it."""

import torch
import torch.nn as nn
from torch.nn.utils import weight_norm


class TemporalBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel_size, dilation, dropout=0.0):
        super().__init__()
        self.padding = (kernel_size - 1) * dilation
        self.conv1 = weight_norm(nn.Conv1d(inputs, outputs, kernel_size, padding=self.padding, dilation=dilation))
        self.conv2 = weight_norm(nn.Conv1d(outputs, outputs, kernel_size, padding=self.padding, dilation=dilation))
        self.downsample = nn.Conv1d(inputs, outputs, 1) if inputs != outputs else None
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        out = self.dropout(torch.relu(self.conv1(x)[:, :, : -self.padding].contiguous()))
        out = self.dropout(torch.relu(self.conv2(out)[:, :, : -self.padding].contiguous()))
        residual = x if self.downsample is None else self.downsample(x)
        return torch.relu(out + residual)


class Model(nn.Module):
    def __init__(self, channels=3, widths=(4, 4)):
        super().__init__()
        blocks = []
        for level, width in enumerate(widths):
            blocks.append(TemporalBlock(channels, width, 2, 2**level))
            channels = width
        self.network = nn.Sequential(*blocks)

    def forward(self, x):
        """x: [batch, channels, time]."""
        return self.network(x)


def get_inputs():
    return [torch.randn(2, 3, 9)]


def get_init_inputs():
    return []
