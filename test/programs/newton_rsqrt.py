"""Newton's iterations in a while loop."""

import torch


def newton_rsqrt(x, iters: int = 3):
    y = 1 / x
    i = 0
    while i < iters:
        y = y * (1.5 - 0.5 * x * y * y)
        i += 1
    return y


def get_inputs():
    return [torch.rand(4, 16) + 0.5]
