"""A constructor that depends on statements of its file which change what others have bound."""

import torch
from torch import nn

WIDTH = 1
WIDTH += 1
for _ in range(2):
    WIDTH *= 2
CONFIG = {"model": {"scale": 1.0, "widths": [1, 2]}}
model = CONFIG["model"]
model["scale"] = 4.0
widths = model["widths"]
widths.append(WIDTH)
del widths[0]
registry = []


def _times(factor):
    def decorate(cls):
        cls.factor = factor
        return cls

    return decorate


class _Registered(nn.Module):
    def __init_subclass__(cls, rate=1.0, **keywords):
        super().__init_subclass__(**keywords)
        cls.rate = rate
        registry.append(cls)


class _Scale(_Registered, rate=0.5):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale * self.rate

    def forward(self, x):
        return x * self.scale


@_times(3.0)
class Net(nn.Module):
    bias = 0.25

    def __init__(self, width=WIDTH):
        super().__init__()
        self.parts = nn.ModuleList(cls(CONFIG["model"]["scale"]) for cls in registry)
        self.norm = nn.LayerNorm(width)
        self.shift = float(sum(widths)) * self.bias

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return self.norm(x) * self.factor + self.shift


WIDTH = 100
Net.bias = 0.5


def get_inputs():
    return [torch.randn(16, 8)]
