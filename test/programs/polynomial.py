"""A polynomial with coefficients at module level."""

import math

import torch

SQRT2 = math.sqrt(2)
EPS = 1e-6
COEFFS = [0.1, -0.2, 0.3]
_TABLE = {"x": 1.0, "y": -1.0}


def polynomial(x):
    r = torch.zeros_like(x)
    for c in reversed(COEFFS):
        r = r * x + c
    return r / SQRT2 + EPS + _TABLE["y"] + math.exp(1) * math.cos(math.pi / 3)


def get_inputs():
    return [torch.randn(4, 16)]
