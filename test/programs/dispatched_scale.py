"""A function chosen by what its first argument is, as annotations say, and flags of an enumeration."""

import enum
from functools import reduce, singledispatch
import operator

import torch


class Terms(enum.Flag):
    VALUE = enum.auto()
    SQUARE = enum.auto()
    BOTH = VALUE | SQUARE


@singledispatch
def scale(factor, x):
    raise TypeError(f"cannot scale by {type(factor)}")


@scale.register
def _(factor: float, x):
    return x * factor


@scale.register(torch.Tensor)
def _scale_tensor(factor, x):
    return x * factor.unsqueeze(-1)


def run(x, w, terms: int = 3):
    chosen = Terms(terms)
    parts = [scale(0.5, x), scale(w, x)]
    if Terms.SQUARE in chosen:
        parts.append(x.square())
    return reduce(operator.add, parts) * len(chosen)


# program: run
def get_inputs():
    return [torch.randn(3, 5), torch.randn(3)]
