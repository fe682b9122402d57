import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.set_table(8)

    def set_table(self, length):
        self.longest = length
        self.register_buffer("table", torch.arange(length).float().cos(), persistent=False)

    def forward(self, x):
        if x.shape[0] > self.longest:
            self.set_table(x.shape[0])
        return x * self.table[: x.shape[0]]


class OfData(Cached):
    def forward(self, x):
        if x.shape[0] > self.table.shape[0]:
            self.table = x.cos()
        return x * self.table[: x.shape[0]]


class Parts(nn.ModuleList):
    """No forward at all."""


class Moved(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8, dtype=torch.float16))

    def forward(self, x):
        self.weight = nn.Parameter(self.weight.float())
        return x * self.weight


class MovedTable(Cached):
    def forward(self, x):
        self.table = self.table.half()
        return x * self.table
