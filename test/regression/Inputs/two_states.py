import torch
from torch import nn


class TwoStates(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.layers = nn.GRU(size, 3, num_layers=2)

    def forward(self, x):
        return self.layers(x, x.new_full((2, x.size(1), 3), 0.1))[0]


def get_inputs():
    return [torch.randn(5, 2, 3)]
