"""Comprehensions, reduce, itertools and starred names."""

import itertools
import math
import operator
from functools import reduce

import torch


def comprehensions(xs, weights=(1, 2, 3)):
    total = reduce(operator.add, [w * x.mean(dim=tuple(range(1, x.ndim))) for w, x in zip(weights, xs)])
    pairs = {f"{i}-{j}": (a.amax() - b.amax()) for (i, a), (j, b) in itertools.combinations(enumerate(xs), 2)}
    best = torch.stack(list(pairs.values())).max()
    flat = torch.cat([x.flatten(1) for x in xs], dim=1)
    *rest, last = xs
    return total, best, flat, last.sum() + len(rest), math.prod(x.ndim for x in xs)


def get_inputs():
    return [(torch.randn(2, 3, 4), torch.randn(2, 5), torch.randn(2, 3, 2))]
