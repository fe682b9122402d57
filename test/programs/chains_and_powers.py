"""Chains of products and powers of matrices."""

import torch


def chains(a, b, c, s):
    return (
        torch.linalg.multi_dot([a, b, c]),
        torch.chain_matmul(a, b, c),
        torch.linalg.matrix_power(s, 3),
        torch.matrix_power(s, 0) + s,
        s @ s @ s.T,
        torch.tensordot(a, b, dims=1),
        torch.tensordot(s[:, None] * s[None], s, dims=([1, 2], [0, 1])),
        torch.kron(a[:2, :2], b[:2, :3]),
        torch.outer(a[0], c[:, 0]),
        torch.inner(a, b.T),
    )


def get_inputs():
    return [torch.randn(4, 7), torch.randn(7, 3), torch.randn(3, 5), torch.randn(5, 5) * 0.5]
