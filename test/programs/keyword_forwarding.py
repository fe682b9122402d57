"""Arguments passed on by * and **."""

# program: keyword_forwarding

import torch


def inner(x, *args, scale=1.0, **kw):
    y = x * scale
    for a in args:
        y = y + a
    if kw.get("relu", False):
        y = y.relu()
    return y


def keyword_forwarding(x, b, opts=None):
    opts = {"scale": 2.0, "relu": True} if opts is None else opts
    return inner(x, b, 1, **opts), inner(x, *[b, b])


def get_inputs():
    return [torch.randn(4, 16), torch.randn(16)]
