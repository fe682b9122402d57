"""Gaussian error linear units of halves, whose 1 + erf(x) is an erfc of a few digits; beside it an erf by itself."""

import torch
import torch.nn.functional as F


def half_gelu(x, bias, y):
    return F.gelu(x + bias), F.gelu(4 * y), torch.erf(y), 1 + torch.erf(3 * x)


def get_inputs():
    return [torch.randn(5, 40).bfloat16(), torch.randn(40).bfloat16(), torch.randn(5, 40).half()]
