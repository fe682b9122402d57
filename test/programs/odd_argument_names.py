"""Arguments and modules with names that the checks of an emitted file use too."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({"a:b": nn.Linear(4, 4), "0:2": nn.Linear(4, 4), "1": nn.Linear(4, 4), "2": nn.Linear(4, 4)})

    def forward(self, x, sizes, device, dtype):
        for name in ("a:b", "0:2", "1", "2"):
            x = self.parts[name](x)
        return x * sizes + device - dtype


def get_inputs():
    return [torch.randn(2, 4) for _ in range(4)]
