"""The types of mixed operands."""

import torch


def type_promotion(x, h, i, b):
    return (
        x + h,
        h * 2,
        h * 2.5,
        i / 2,
        i // 2,
        i % 3,
        i**2,
        b * 1.5,
        b + i,
        h + i,
        x.double() + h,
        i + 1.5,
        torch.true_divide(i, i + 1),
        i.float().mean(),
        torch.sqrt(i.abs()),
        b.sum(),
        i.sum(),
        i.prod(),
        h.sum(),
        i.cumsum(0),
        i > 1.5,
        (i == 2) | b,
        torch.where(b, x, 0),
        torch.where(b, i, 1.5),
        torch.where(b, h, x),
    )


def get_inputs():
    return [torch.randn(7), torch.randn(7).half(), torch.randint(-4, 5, (7,)), torch.randint(0, 2, (7,)).bool()]
