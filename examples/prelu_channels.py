"""A learned slope for each channel."""

import torch
import torch.nn as nn


class ChannelPReLU(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.act = nn.PReLU(num_parameters=channels, init=0.1)

    def forward(self, x):
        return self.act(x)


def get_init_inputs():
    return [16]


def get_inputs():
    return [torch.randn(4, 16, 20, 12)]
