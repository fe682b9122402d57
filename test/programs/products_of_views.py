"""Products whose operands are transposed, strided, expanded and triangular, with themselves, with vectors."""

import torch


def products_of_views(x, y, v):
    gram = x.T @ x
    every_other = x[:, ::2] @ y[::2]
    lower = torch.tril(gram) @ torch.triu(gram, 1)
    scaled = torch.diag(v) @ y
    shifted = x[1:, 1:] @ x[:-1, :-1].t()
    row, column = v @ y, x @ v
    repeated = x.expand(2, *x.shape) @ y
    return gram + gram.mT, every_other, lower, scaled, shifted, row * row.sum() + column.sum(), repeated.sum(0)


def get_inputs():
    return [torch.randn(5, 6), torch.randn(6, 7), torch.randn(6)]
