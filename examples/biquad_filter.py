"""A biquad: an audio filter whose state are the last two inputs and outputs."""

import torch
import torch.nn as nn


class Biquad(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.feed = nn.Parameter(torch.tensor([0.2, 0.3, 0.1]).repeat(channels, 1))
        self.back = nn.Parameter(torch.tensor([-0.4, 0.2]).repeat(channels, 1))

    def forward(self, x):
        b0, b1, b2 = self.feed.unbind(1)
        a1, a2 = self.back.unbind(1)
        x1 = x2 = y1 = y2 = torch.zeros_like(x[0])
        outputs = []
        for sample in x:
            y = b0 * sample + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            x2, x1 = x1, sample
            y2, y1 = y1, y
            outputs.append(y)
        return torch.stack(outputs)


def get_init_inputs():
    return [12]


def get_inputs():
    return [torch.randn(50, 3, 12)]
