"""Norms of vectors and matrices."""

import torch


def vector_and_matrix_norms(x):
    return (
        x.norm(),
        x.norm(p=1, dim=-1),
        x.norm(float("inf"), 0),
        torch.norm(x, p=3, dim=1, keepdim=True),
        torch.norm(x, p="fro"),
        torch.linalg.vector_norm(x, ord=0.5),
        torch.linalg.norm(x, ord=float("-inf"), dim=1),
        torch.norm(x, 0, -1),
        torch.linalg.vector_norm(x, 2, (0, 1)),
        torch.linalg.matrix_norm(x),
        torch.linalg.norm(x),
        x.nansum(-1),
        x.nanmean(0),
        torch.dist(x, x * 2, 3),
    )


def get_inputs():
    return [torch.randn(4, 7)]
