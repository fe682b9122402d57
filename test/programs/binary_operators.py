"""All binary operators."""

# only forward

import torch


def binary_operators(x, y):
    return (
        x // y,
        x % y,
        torch.fmod(x, y),
        torch.div(x, y, rounding_mode="trunc"),
        torch.div(x, y, rounding_mode="floor"),
        torch.atan2(x, y),
        torch.copysign(x, y),
        torch.hypot(x, y),
        torch.logaddexp(x, y),
        torch.logaddexp2(x, y),
        torch.maximum(x, y),
        torch.fmin(x, y),
        torch.pow(x.abs(), y),
        x == y,
        x != y,
        torch.heaviside(x, y),
        torch.lerp(x, y, 0.3),
        torch.xlogy(x.abs(), y.abs()),
        x % 1.0,
        x // 0.5,
        3.0 % y,
        2 - x,
        torch.isclose(x, y),
        x > y,
        torch.remainder(x, -2.5),
    )


def get_inputs():
    return [torch.randn(6, 20) * 3, torch.randn(6, 20) + 0.01]
