"""All unary functions."""

import torch


def unary_functions(x):
    return [
        f(x)
        for f in (
            torch.exp,
            torch.exp2,
            torch.expm1,
            torch.sin,
            torch.cos,
            torch.tan,
            torch.atan,
            torch.sinh,
            torch.cosh,
            torch.tanh,
            torch.asinh,
            torch.erf,
            torch.erfc,
            torch.neg,
            torch.abs,
            torch.sign,
            torch.floor,
            torch.ceil,
            torch.trunc,
            torch.round,
            torch.frac,
            torch.isnan,
            torch.isinf,
            torch.isfinite,
            torch.signbit,
            torch.square,
            torch.sigmoid,
            torch.sgn,
            torch.sinc,
            torch.nan_to_num,
            torch.logical_not,
            torch.isposinf,
            torch.deg2rad,
        )
    ]


def get_inputs():
    return [torch.randn(6, 20)]
