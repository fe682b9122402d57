"""Gauss-Seidel: a row of the system takes what the rows before it have become in this turn."""

import torch


def relaxed_system(matrix, right, x):
    for row in range(matrix.shape[0]):
        rest = right[row] - (matrix[row] * x).sum() + matrix[row, row] * x[row]
        x = torch.where(torch.arange(x.shape[0]) == row, rest / matrix[row, row], x)
    return x


def get_inputs():
    return [torch.randn(6, 6) * 0.2 + torch.eye(6) * 2, torch.randn(6), torch.randn(6)]
