"""Convolutions that pad by what the image has at its edges."""

import torch
from torch import nn


class PaddedConvolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.reflect = nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect")
        self.replicate = nn.Conv2d(3, 3, (3, 5), padding=(1, 2), padding_mode="replicate", stride=2)
        self.circular = nn.Conv1d(3, 4, 5, padding=2, padding_mode="circular")
        self.explicit = nn.Sequential(nn.ReflectionPad2d((1, 2, 0, 1)), nn.Conv2d(2, 2, 3), nn.ZeroPad2d(1))

    def forward(self, x):
        y = self.replicate(torch.relu(self.reflect(x)))
        return self.circular(y.flatten(2)), self.explicit(x)


def get_inputs():
    return [torch.randn(2, 2, 7, 6)]
