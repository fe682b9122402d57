"""Classes that only construct: `forward` is that of nn.Sequential, and what else they keep is none of its parts."""

# program: Net

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        return x * self.gain


class ConvStem(nn.Sequential):
    def __init__(self, channels, act=nn.SiLU, slope=0.1):
        layers = [Scale(channels), nn.GroupNorm(2, channels)]
        if act is not None:
            layers.append(act())
        super().__init__(*layers, nn.LeakyReLU(slope))
        self.out_channels = channels
        self.offset = nn.Parameter(torch.zeros(channels))


class Stages(nn.ModuleDict):
    def __init__(self, channels):
        super().__init__({"stem": ConvStem(channels, act=None), "act": nn.Tanh()})
        self.channels = channels
        self.shift = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, x):
        for name in self:
            x = self[name](x)
        return x + self.shift + len(self) / self.channels


class Net(nn.Sequential):
    def __init__(self, channels):
        super().__init__(ConvStem(channels), Stages(channels))
        self.widths = [channels, channels]


def get_init_inputs():
    return [6]


def get_inputs():
    return [torch.randn(2, 6, 5, 4)]
