"""Writes to slices of arguments: what is around them stays as it is, and is not moved."""

# no gradient: is mutated by the program

import torch


def written_parts(keys, values, rows, state, table, k, v):
    t = k.shape[1]
    keys[:, 3 : 3 + t] = k
    values[:, 3 : 3 + t, 1:3] = v * 2
    rows[0] = rows[1] + 1
    rows[2:] *= 0.5
    state[:, : state.shape[1] // 2].relu_()
    table[1:] = table[:-1] * 2
    table[:, 1] = 7
    return (keys[:, : 3 + t] * 2).sum(1), values[:, 2:5] + 1, table.sum()


def get_inputs():
    torch.manual_seed(0)
    return [
        torch.randn(2, 9, 4),
        torch.randn(2, 9, 4),
        torch.randn(5, 6),
        torch.randn(3, 8),
        torch.randn(6, 4),
        torch.randn(2, 4, 4),
        torch.randn(2, 4, 2),
    ]
