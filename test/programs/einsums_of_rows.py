"""Einsums that are no products of matrices."""

import torch
from torch import einsum


def einsums(a, x, y, b):
    return (
        einsum("ij,j->i", a, x),
        einsum("i,ij->j", y, a),
        einsum("ij,ij->i", a, a),
        einsum("ij,ij", a, a),
        einsum("i, j -> ij", y, x),
        einsum("ij->ji", a),
        einsum("ji", a),
        einsum("ij->", a),
        einsum("bij,j,i->b", b, x, y),
        einsum("...j,j->...", b, x),
        einsum("b...,b...->...", b, b * 0.5),
        einsum("bij,bij->bj", [b, b]),
        einsum("ii->i", a[:, :5]),
        einsum("ii", a[:, :5]),
        einsum("ik,k,kk->i", a[:, :5], y, a[:, :5]),
        einsum("i,j->i", y, x),
    )


def get_inputs():
    return [torch.randn(5, 7), torch.randn(7), torch.randn(5), torch.randn(3, 5, 7)]
