"""Functions of positive numbers."""

import torch


def positive_functions(x):
    return [
        f(x)
        for f in (
            torch.log,
            torch.log2,
            torch.log10,
            torch.log1p,
            torch.sqrt,
            torch.rsqrt,
            torch.lgamma,
            torch.reciprocal,
            lambda t: t**1.7,
            lambda t: 2**t,
            lambda t: torch.acosh(t + 1),
            lambda t: torch.asin(t / 10),
            lambda t: torch.acos(t / 10),
            lambda t: torch.atanh(t / 10),
            torch.special.entr,
            torch.special.ndtr,
        )
    ]


def get_inputs():
    return [torch.rand(6, 20) * 5 + 0.1]
