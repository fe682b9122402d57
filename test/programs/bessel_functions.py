# only forward
"""Bessel functions of both kinds and Airy's function, near 0, on the waves and in the tails."""

import torch


def bessel_functions(x):
    r = x.abs() + 0.01
    waves = (
        torch.special.bessel_j0(x)
        + torch.special.bessel_j1(x)
        + torch.special.bessel_y0(r) * torch.special.bessel_y1(r)
    )
    tails = torch.special.modified_bessel_k0(r) + torch.special.scaled_modified_bessel_k1(r)
    return (
        waves,
        tails,
        torch.special.airy_ai(x),
        torch.special.spherical_bessel_j0(x),
        torch.special.modified_bessel_k1(r),
        torch.special.scaled_modified_bessel_k0(r),
    )


def get_inputs():
    return [torch.randn(6, 41) * 7]
