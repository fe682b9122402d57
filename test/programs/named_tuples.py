"""Named tuples inside and as the result."""

# program: training_step

import collections
from typing import NamedTuple

import torch


class Out(NamedTuple):
    loss: torch.Tensor
    probs: torch.Tensor


Stats = collections.namedtuple("Stats", ["mean", "std"])


def training_step(x):
    s = Stats(x.mean(-1, keepdim=True), x.std(-1, keepdim=True))
    p = ((x - s.mean) / s.std).softmax(-1)
    return Out(loss=-(p.log()).mean(), probs=p)


def get_inputs():
    return [torch.randn(4, 16)]
