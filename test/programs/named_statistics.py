"""A collections.namedtuple as the result."""

import collections

import torch

Stats = collections.namedtuple("Stats", ["mean", "std"])


def named_statistics(x):
    return Stats(x.mean(-1), x.std(-1))


def get_inputs():
    return [torch.randn(6, 10)]
