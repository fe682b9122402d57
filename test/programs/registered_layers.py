"""Layers that a decorator notes in a table: the emitted file has the whole table."""

import torch
from torch import nn
from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

T = TypeVar("T")
REGISTRY: dict = {}


def register(name):
    def deco(cls):
        REGISTRY[name] = cls
        cls.registered_name = name
        return cls

    return deco


class Affine:
    def post(self, x):
        return super().post(x) * self.gain


class Base(nn.Module, ABC, Generic[T]):
    eps: ClassVar[float] = 1e-5

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.kind = cls.__name__.lower()

    @abstractmethod
    def stat(self, x): ...

    def post(self, x):
        return x + 0.0

    def forward(self, x):
        return self.post(x / (self.stat(x) + self.eps))


class Shift:
    def post(self, x):
        return super().post(x) + 1


@register("rms")
class RMS(Affine, Shift, Base[torch.Tensor]):
    def __init__(self, dim=6):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(dim))

    def stat(self, x):
        return x.pow(2).mean(-1, keepdim=True).sqrt()


@register("absmax")
class AbsMax(Shift, Base):
    def stat(self, x):
        return x.abs().amax(-1, keepdim=True)


class Model(nn.Module):
    def __init__(self, names=("rms", "absmax")):
        super().__init__()
        self.layers = nn.Sequential(*(REGISTRY[n]() for n in names))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x) if layer.kind == "rms" or i else x
        return x, len(self.layers[0].kind) * x.mean()


# program: Model
def get_inputs():
    return [torch.randn(4, 6)]
