"""A GRU without a first state, and one with a first state in halves of the batch."""

import torch
from torch import nn


class TwoGRUs(nn.Module):
    def __init__(self, size=4, hidden=5):
        super().__init__()
        self.first = nn.GRU(size, hidden, bias=False)
        self.second = nn.GRU(hidden, 3, num_layers=2, batch_first=False)

    def forward(self, x):
        self.first.flatten_parameters()
        y, h = self.first(x)
        z, state = self.second(y, h.new_full((2, x.size(1), 3), 0.1))
        return z.mean(0), state[-1]


def get_inputs():
    return [torch.randn(5, 2, 4)]
