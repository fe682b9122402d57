"""Batches of products: bmm, broadcast batches, einsums of two and three operands, sums over the batch, runtime factors."""

import torch


def products_of_batches(x, y, w, alpha: float = 0.5, beta: float = 2.0):
    scores = torch.einsum("bhid,bhjd->bhij", x, y)
    mixed = x @ y.transpose(-2, -1) - scores
    pooled = torch.einsum("bhid,bhjd,de->hie", x, y, w)
    summed = torch.addbmm(w, x[0].mT, x[0], beta=beta, alpha=alpha)
    added = torch.baddbmm(x[:, 0], x[:, 0] @ w, w.expand(x.shape[0], -1, -1), alpha=alpha)
    return (
        mixed,
        pooled,
        summed,
        added,
        torch.tensordot(x, y, dims=([0, 2], [0, 2])),
        torch.addmm(w[0], w, w, beta=beta),
    )


def get_inputs():
    return [torch.randn(2, 3, 4, 5), torch.randn(2, 3, 4, 5), torch.randn(5, 5)]
