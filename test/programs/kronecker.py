"""Kronecker products and block diagonals."""

import torch


def kronecker(x):
    return torch.kron(x, x[:2]), torch.block_diag(x, x * 2)


def get_inputs():
    return [torch.randn(5, 4)]
