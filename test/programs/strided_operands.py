"""Products of views: slices with steps, expanded, reversed, columns of a larger matrix, offsets."""

import torch


def strided_operands(x, w, bank):
    even, odd = x[:, ::2], x[:, 1::2]
    expanded = w[0].expand(even.shape[1], w.shape[1])
    pieces = bank.unfold(0, 3, 2)  # overlapping rows
    return (
        even @ w[: even.shape[1]],
        odd @ w[1 : 1 + odd.shape[1]],
        even @ expanded,
        x.flip(1)[:, : w.shape[0]] @ w,
        pieces @ w[:3],
        x[:, None, 2:5] @ w[None, 1:4, ::3],
        torch.permute(bank.unflatten(0, (3, 3)), (1, 0, 2)).transpose(1, 2) @ w[:3],
    )


def get_inputs():
    return [torch.randn(5, 10), torch.randn(6, 7), torch.randn(9, 4)]
