"""Einsums that contract: two and three operands, repeated letters, an ellipsis, capital letters."""

import torch


def einsums(q, k, v, w, u, core):
    scores = torch.einsum("bhid,bhjd->bhij", q, k)
    return (
        torch.einsum("bhij,bhje->bhie", scores, v),
        torch.einsum("bhid,hde->bihe", q, w),
        torch.einsum("...d,de->...e", q, u),
        torch.einsum("bhid,bhjd,bhje->bhie", q, k, v),
        torch.einsum("Bhnd,Bhmd->hnm", q, k),
        torch.einsum("ijk,bhi,bhj->bhk", core, q[:, :, 0, :3], k[:, :, 0, :4]),
        torch.einsum(q, [0, 1, 2, 3], u, [3, 4], [0, 2, 1, 4]),
        torch.einsum("bhid,bhid->bh", q, q),
    )


def get_inputs():
    return [
        torch.randn(2, 3, 5, 4),
        torch.randn(2, 3, 6, 4),
        torch.randn(2, 3, 6, 2),
        torch.randn(3, 4, 5),
        torch.randn(4, 3),
        torch.randn(3, 4, 2),
    ]
