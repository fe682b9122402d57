"""Constructors and builders along a class hierarchy."""

# program: Leaf

from abc import ABC, abstractmethod

import torch
import torch.nn as nn


class Base(nn.Module, ABC):
    default_gain = 2.0

    def __init__(self, dim, gain=None):
        super().__init__()
        self.gain = gain if gain is not None else self.default_gain
        self.weight = nn.Parameter(torch.ones(dim))
        self.build()

    def build(self):
        self.extra = nn.Parameter(torch.zeros(3))

    @abstractmethod
    def activation(self, x): ...
    def forward(self, x):
        return self.activation(x) * self.gain * self.weight + self.extra.sum()


class Middle(Base):
    def build(self):
        super().build()
        self.more = nn.Parameter(torch.zeros(5))


class Leaf(Middle):
    def activation(self, x):
        return torch.sin(x) + self.more.mean()


def get_inputs():
    return [torch.randn(4, 16)]


def get_init_inputs():
    return [16, 1.5]
