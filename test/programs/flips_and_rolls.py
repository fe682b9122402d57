"""Flips, rolls and rotations."""

import torch


def flips_and_rolls(x):
    return (
        torch.flip(x, dims=(0, 1)),
        x.flip(-1),
        x.fliplr(),
        torch.flipud(x),
        torch.rot90(x, 1, [0, 1]),
        x.rot90(-1),
        x.rot90(2),
        torch.roll(x, 1),
        x.roll((1, 2), (0, 1)),
        x.roll(-3, dims=1),
    )


def get_inputs():
    return [torch.randn(3, 4)]
