import torch
import torch.nn as nn


class Block(nn.Module):
    """A call of a module that does no more than a call within it."""

    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8), nn.Dropout(0.1))

    def forward(self, x):
        return self.block(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x):
        return self.second(self.first(x))


def get_inputs():
    return [torch.randn(2, 8)]
