"""A loss for each class, in a list that Python adds up; steps of other types; slots of a paged cache."""

import torch


def per_class(x, steps, slots):
    losses = []
    for c in range(x.size(1)):
        losses.append((x[:, c] ** 2).sum())
    mean = sum(losses) / len(losses)
    moved = torch.add(x, steps, alpha=2)
    return mean, moved, x[slots // x.shape[1], slots % x.shape[1]]


def get_inputs():
    steps = torch.randint(-100, 100, (6, 3)).to(torch.int8)
    return [torch.randn(6, 3), steps, torch.randint(0, 18, (5,))]
