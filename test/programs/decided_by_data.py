"""Python's functions, containers and flags of what the values of tensors decide."""

import math

import torch


def f(x, y):
    best = max(x[0].sum(), x[1].sum())
    least = min(x[0, 0], y[0, 1], x[2, 2])
    limited = max(y.sum().item(), 0.5)
    found = False
    for row in x.unbind(0):
        if row.sum() > 1:
            found = True
    scale = 2.0 if found is True else 1.0
    if any(row.max() > 1.5 for row in y):
        scale = scale + 1
    if all(row.sum() < 3 for row in y):
        scale = scale * 0.5
    is_great = bool((x > 1).any())
    divisor = x.sum().item() or 1.0
    parts = {"a": x, "b": y}
    if math.isfinite(divisor) and is_great:
        parts = {"a": y * 2, "b": x}
    order = [x, y]
    if x.sum() > y.sum():
        order = [y, x]
    state = torch.zeros_like(x)
    last = x.new_ones(())
    for t in reversed(range(x.shape[0])):
        last = last * 0.5 + x[t, 0]
        state[t] = last * y[t]
        if x[t, 1] > 0:
            last = last * 0
    return best * least, x * limited, parts["a"] - parts["b"] * scale, order[0] - order[1].exp(), state / divisor


def get_inputs():
    return [torch.randn(4, 6), torch.randn(4, 6)]
