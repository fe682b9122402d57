"""Callable dataclasses composed."""

# program: composed_transforms

from __future__ import annotations

import dataclasses
from typing import Any, Callable, ClassVar, Generic, Literal, Protocol, TypeVar

import torch

T = TypeVar("T")


class Transform(Protocol):
    def __call__(self, x: torch.Tensor) -> torch.Tensor: ...


@dataclasses.dataclass
class Affine:
    scale: float = 2.0
    bias: float = 0.5
    kind: ClassVar[str] = "affine"

    def __call__(self, x):
        return x * self.scale + self.bias


@dataclasses.dataclass
class Clip(Affine):
    lim: float = 1.0

    def __call__(self, x):
        return super().__call__(x).clamp(-self.lim, self.lim)


class Compose(Generic[T]):
    def __init__(self, *ts: Callable[..., Any]):
        self.ts = list(ts)

    def __call__(self, x):
        for t in self.ts:
            x = t(x)
        return x

    def __len__(self):
        return len(self.ts)

    def __getitem__(self, i):
        return self.ts[i]


PIPE = Compose(Affine(), Clip(lim=2.0), torch.tanh)


def composed_transforms(x: torch.Tensor, mode: Literal["all", "first"] = "all"):
    return PIPE(x) if mode == "all" else PIPE[0](x)


def get_inputs():
    return [torch.randn(4, 8)]
