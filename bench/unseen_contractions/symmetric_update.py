"""A rank-k update kept symmetric."""

import torch


def syrk(C, A, alpha: float = 0.5):
    U = alpha * A @ A.mT + C
    S = 0.5 * (U + U.mT)
    return torch.tril(S), S.diagonal().sum(), S @ S


def get_inputs():
    return [torch.randn(5, 5), torch.randn(5, 3)]
