"""Containers of modules and parameters, as constructors fill, cut, renumber and join them."""

from collections import OrderedDict

import torch
import torch.nn as nn


class EditedContainers(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.blocks = nn.ModuleList([nn.LayerNorm(width), nn.PReLU()])
        self.blocks += [nn.LayerNorm(width)]
        self.blocks.insert(1, nn.Tanh())
        self.blocks[1] = nn.PReLU()
        del self.blocks[2]
        self.joined = self.blocks[:1] + [nn.PReLU()]
        self.stages = nn.Sequential(OrderedDict([("norm", nn.LayerNorm(width)), ("act", nn.PReLU())]))
        self.tail = nn.Sequential(*self.stages, nn.GELU())[1:] + nn.Sequential(nn.LayerNorm(width))
        self.scales = nn.ParameterList([torch.rand(width)])
        self.scales.append(nn.Parameter(torch.rand(1)))
        # The keys of a plain dict are sorted, those of pairs are not.
        self.shifts = nn.ParameterDict({"b": torch.rand(width), "a": torch.rand(width)})
        self.shifts.update([("z", torch.rand(width)), ("c", None)])
        self.shifts.setdefault("y", torch.rand(width))
        self.heads = nn.ModuleDict([("b", nn.PReLU()), ("a", nn.LayerNorm(width))])
        self.heads.update({"c": nn.Sigmoid()})
        self.last = self.heads.pop("c")

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        for block in self.joined:
            x = x + block(x)
        x = self.tail(self.stages(x))
        for place, scale in enumerate(self.scales):
            x = x * scale + place
        for name, shift in self.shifts.items():
            if shift is not None:
                x = (x + shift) * len(self.shifts)
        for name in self.heads:
            x = self.heads[name](x)
        return self.last(x * self.shifts.get("q", 2.0))


def get_inputs():
    return [torch.randn(10, 12)]
