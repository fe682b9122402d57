"""Generators, itertools, zip, sorted with keys, star unpacking, lambdas in dicts."""

# program: generators_and_sets

import itertools
import operator
from collections import defaultdict
from functools import reduce

import torch


def pairs(xs):
    for a, b in itertools.combinations(range(len(xs)), 2):
        yield xs[a] - xs[b]


def generators_and_sets(x):
    parts = dict(zip("abc", x.chunk(3, dim=-1)))
    total = reduce(operator.add, (v for _, v in sorted(parts.items(), key=lambda kv: kv[0], reverse=True)))
    groups = defaultdict(list)
    for i, d in enumerate(pairs(list(parts.values()))):
        groups[i % 2].append(d.abs())
    first, *rest = groups[0]
    m = torch.stack([first, *rest]).amax(0)
    ops = {"min": lambda *t: torch.stack(t).min(0).values, "prod": lambda a, b: a * b}
    acc = list(itertools.accumulate(parts.values(), torch.maximum))
    return (
        total,
        m,
        ops["min"](*parts.values()),
        ops["prod"](acc[-1], groups[1][0]),
        {len(s) for s in ("a", "bb")} and acc[1],
    )


def get_inputs():
    return [torch.randn(4, 9)]
