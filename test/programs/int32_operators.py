"""Operators on int32."""

# only forward

import torch


def int32_operators(i, h):
    return (
        i // 3,
        i % 3,
        i % -3,
        i // -3,
        i * 7,
        i / 2,
        i + 0.5,
        h + i,
        i.float() % 2,
        i.half(),
        i.sum(),
        i.to(torch.int64) * 100000 * 100000,
        i.min(1),
        i.any(1),
        i.all(),
        h // 0.25,
        h % 0.25,
        h.round(),
        h.trunc(),
    )


def get_inputs():
    return [torch.randint(-40, 50, (5, 9), dtype=torch.int32), torch.randn(5, 9).half()]
