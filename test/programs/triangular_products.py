"""Products of triangular matrices, as they are written."""

import torch


def triangular_products(A, B):
    upper = torch.triu(torch.matmul(torch.triu(A), torch.triu(B)))
    lower = torch.tril(torch.matmul(A.tril(), B.tril()))
    strict = (A.tril(-1) + torch.eye(A.shape[0], device=A.device)) @ B
    mask = torch.ones(A.shape[0], A.shape[0], dtype=torch.bool).tril(1)
    return upper, lower, strict, A.masked_fill(~mask, 0) @ B


def get_inputs():
    return [torch.randn(6, 6), torch.randn(6, 6)]
