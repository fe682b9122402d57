# only forward
"""Orthogonal polynomials, and windows of signals."""

import torch


def f(x):
    s = torch.special
    p = (
        s.chebyshev_polynomial_t(x, 4),
        s.chebyshev_polynomial_u(x, 3),
        s.chebyshev_polynomial_v(x, 2),
        s.chebyshev_polynomial_w(x, 5),
        s.shifted_chebyshev_polynomial_t(x, 3),
    )
    q = (
        s.hermite_polynomial_h(x, 5),
        s.hermite_polynomial_he(x, 4),
        s.laguerre_polynomial_l(x, 3),
        s.legendre_polynomial_p(x, 6),
        s.legendre_polynomial_p(x, 0),
        s.hermite_polynomial_h(x, 1),
    )
    return (
        p,
        q,
        torch.bartlett_window(7),
        torch.kaiser_window(8, periodic=False, beta=5.0),
        s.modified_bessel_i1(x),
        s.round(x, decimals=1),
    )


def get_inputs():
    return [torch.linspace(-2.9, 2.9, 24).reshape(4, 6)]
