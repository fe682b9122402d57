"""Incomplete gamma functions on both sides of their turn, and near it; Hurwitz's zeta function and high polygammas."""

import torch


def gamma_functions(shape, x, q):
    shape = shape.detach()
    lower = torch.igamma(shape, x)
    upper = torch.special.gammaincc(shape, 1.1 * x)
    return lower - upper, torch.special.zeta(3.0, q), torch.polygamma(4, q - 2.25)


def get_inputs():
    return [torch.rand(6, 11) * 40 + 0.1, torch.rand(6, 11) * 50 + 0.1, torch.rand(11) * 5 + 0.5]
