"""Operators on integers of several types."""

# no gradient: no argument needs a gradient

import torch


def integer_operators(i, j, u):
    return (
        i // j,
        i % j,
        torch.fmod(i, j),
        torch.div(i, j, rounding_mode="trunc"),
        i & j,
        i | j,
        i ^ j,
        ~i,
        i << 2,
        i >> 1,
        i**2,
        -i,
        i.abs(),
        i.sign(),
        i * j,
        u + 100,
        u * 3,
        u - 9,
        u // 7,
        u % 7,
        u >> 1,
        u.to(torch.int32) << 3,
        i.to(torch.int8),
        i.to(torch.uint8),
        i / j,
        i.float(),
        u.bool(),
        i.clamp(-3, 4),
        i.pow(3),
        j**5,
        torch.maximum(i, j),
        i == j,
        i > 2,
        u > 100,
        u.max(),
        u.sum(),
        i.prod(0),
        i.cumsum(1),
        i.amin(1),
        u.amin(1),
        i.argmax(1),
        torch.bitwise_right_shift(i, 2),
        ~u,
        ~(i > 0),
    )


def get_inputs():
    return [
        torch.randint(-40, 50, (5, 9)),
        torch.randint(1, 9, (5, 9)),
        torch.randint(0, 256, (5, 9), dtype=torch.uint8),
    ]
