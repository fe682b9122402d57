# only forward
"""Polynomials whose degree is a number, small and great, or another tensor; frexp."""

import torch


def orthogonal_polynomials(x, n):
    wide = torch.special.chebyshev_polynomial_t(x, n) + torch.special.shifted_chebyshev_polynomial_w(x, n)
    high = torch.special.chebyshev_polynomial_u(x.clamp(-1, 1), 40) + torch.special.legendre_polynomial_p(x.tanh(), 90)
    mixed = torch.special.hermite_polynomial_he(x, n.clamp(max=9)), torch.special.laguerre_polynomial_l(x, 5)
    mantissa, exponent = torch.frexp(x)
    return wide, high, mixed, mantissa, exponent


def get_inputs():
    return [torch.randn(6, 11), torch.randint(-1, 12, (11,))]
