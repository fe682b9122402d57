"""any, all and counts."""

import torch


def boolean_reductions(x, y):
    m = (x > 0) ^ (y > 0)
    n = ~m | (x.isfinite() & torch.logical_not(y > 1))
    return (
        m.any(),
        n.all(dim=-1),
        m.sum(-1),
        m.float().mean(),
        n & True,
        (m * 3),
        m + n,
        torch.logical_xor(x, y),
        m.int() - 1,
        x * m,
    )


def get_inputs():
    return [torch.randn(6, 3), torch.randn(6, 3)]
