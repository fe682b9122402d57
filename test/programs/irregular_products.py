"""Products of prime, tall, skinny, tiny and unit sizes."""

import torch


def irregular_products(a, b, tall, skinny, column, row, v):
    return (
        a @ b,
        torch.mm(tall, skinny),
        torch.mm(skinny, tall),
        column @ row,
        row @ column,
        a @ v,
        v @ b,
        a.mv(v),
        torch.mv(b.t(), v),
        v.dot(a[0]),
    )


def get_inputs():
    return [
        torch.randn(13, 37),
        torch.randn(37, 11),
        torch.randn(61, 2),
        torch.randn(2, 61),
        torch.randn(9, 1),
        torch.randn(1, 9),
        torch.randn(37),
    ]
