"""Norms of every order."""

import torch


def norms_of_all_orders(x):
    return (
        torch.linalg.vector_norm(x, ord=3, dim=(0, 1)),
        torch.linalg.vector_norm(x, float("inf"), dim=-1, keepdim=True),
        torch.norm(x, p=float("-inf"), dim=0),
        torch.norm(x, 0, 1),
        torch.linalg.norm(x, dim=-1),
        x.norm(2, -1, True),
        x.norm(p=1),
        torch.linalg.norm(x, ord=1, dim=2),
        torch.norm(x, dim=(1, 2)),
        torch.dist(x, x * 2, 2),
        x.norm(p="fro"),
    )


def get_inputs():
    return [torch.randn(3, 4, 5)]
