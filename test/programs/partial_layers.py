"""Layers made by functools.partial."""

import operator
from functools import partial, reduce

import torch
import torch.nn as nn
import torch.nn.functional as F

norm = partial(nn.LayerNorm, eps=1e-6)
act = partial(F.leaky_relu, negative_slope=0.2)


class PartialLayers(nn.Module):
    def __init__(self, dim, norm_layer=norm, act_fn=act):
        super().__init__()
        self.n1 = norm_layer(dim)
        self.act = act_fn
        self.fs = [torch.sin, torch.cos, lambda t: t * t, partial(torch.clamp, min=0)]

    def forward(self, x):
        x = self.act(self.n1(x))
        outs = [f(x) for f in self.fs]
        return reduce(operator.add, outs) / len(outs), reduce(lambda a, b: a * b, outs[:2])


def get_inputs():
    return [torch.randn(4, 16)]


def get_init_inputs():
    return [16]
