"""Diagonal matrices times others, spelled out and made."""

import torch


def diagonal_products(d, M, S):
    symmetric = (S + S.T) / 2
    return (
        torch.diag(d) @ M,
        d.unsqueeze(1) * M,
        M.T @ torch.diag(d),
        torch.diag_embed(d) @ M,
        symmetric @ symmetric,
        torch.diagonal(M @ M.T),
        torch.trace(symmetric @ S),
        (S.diag().diag() @ M).sum(0),
    )


def get_inputs():
    return [torch.randn(5), torch.randn(5, 7), torch.randn(5, 5)]
