"""Products added to what is there, with both factors: addmm and its kin."""

import torch


def sums_with_products(c, a, b, batch, x, y, v, w):
    return (
        torch.addmm(c, a, b),
        torch.addmm(c[0], a, b, beta=0.5, alpha=2.0),
        c.addmm(a, b, alpha=-1),
        torch.baddbmm(batch, x, y, beta=0.1),
        torch.addbmm(c[:4, :5], x, y),
        torch.addmv(v, a, w, alpha=3),
        torch.addr(a, v, w, beta=2),
        c.add(a @ b, alpha=0.25),
    )


def get_inputs():
    return [
        torch.randn(4, 6),
        torch.randn(4, 3),
        torch.randn(3, 6),
        torch.randn(2, 4, 5),
        torch.randn(2, 4, 3),
        torch.randn(2, 3, 5),
        torch.randn(4),
        torch.randn(3),
    ]
