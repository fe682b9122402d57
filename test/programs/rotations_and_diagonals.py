"""Rotations, windows and diagonals."""

import torch


def rotations_and_diagonals(x, m):
    return (
        torch.rot90(x, 1, [0, 1]),
        torch.rot90(x, -1),
        x.unfold(1, 3, 2),
        x.unfold(-1, 2, 1).sum(-1),
        m.diagonal(1),
        m.diagonal(-1, 0, 1) * 2,
        torch.diagonal(m, 0).sum(),
        x.repeat_interleave(3, dim=1),
        torch.repeat_interleave(x, 2),
        m.diag_embed(),
        torch.linalg.diagonal(m) if hasattr(torch.linalg, "diagonal") else m,
    )


def get_inputs():
    return [torch.randn(4, 7), torch.randn(5, 5)]
