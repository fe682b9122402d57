"""Parts of a module whose names are no identifiers: keys of dicts, keywords, numbers, texts of any kind."""

from collections import OrderedDict

import torch
import torch.nn as nn


class OddNames(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.weights = nn.ParameterDict({key: torch.rand(width) for key in ["in", "0", "a-b", "a b", "q\"'", "x"]})
        self.norms = nn.ModuleDict({"3x3": nn.LayerNorm(width), "class": nn.Sequential(nn.PReLU()), "0": nn.PReLU()})
        self.steps = nn.Sequential(OrderedDict([("not", nn.LayerNorm(width)), ("2", nn.PReLU()), ("last", nn.PReLU())]))
        self.scales = nn.ParameterList([torch.rand(width) for _ in range(2)])
        self.add_module("0", nn.LayerNorm(width))
        self.add_module("a b", nn.ModuleDict({"def": nn.BatchNorm1d(width)}))
        self.register_buffer("class", torch.zeros(width))
        self.register_parameter("lambda", nn.Parameter(torch.rand(width)))
        setattr(self, "for", nn.Parameter(torch.rand(width)))
        self.self = nn.Parameter(torch.rand(width))
        self.tl = nn.Parameter(torch.rand(width))

    def forward(self, x):
        for weight in self.weights.values():
            x = x * weight + weight
        for norm in self.norms.values():
            x = norm(x) + x
        x = self.steps(getattr(self, "0")(x)) * self.scales[0] + self.scales[1]
        getattr(self, "class").mul_(0.9).add_(x.detach().mean(0))
        x = getattr(self, "a b")["def"](x) + getattr(self, "class")
        return x * getattr(self, "lambda") + getattr(self, "for") * self.self - self.tl


def get_inputs():
    return [torch.randn(10, 12)]
