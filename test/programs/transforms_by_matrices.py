"""A cosine and a Fourier transform as products with their matrices, and a filter between."""

import math

import torch


def dct_matrix(n, device=None):
    k = torch.arange(n, dtype=torch.float32, device=device)
    m = torch.cos(math.pi / n * (k[None, :] + 0.5) * k[:, None]) * math.sqrt(2.0 / n)
    m[0] *= 1 / math.sqrt(2.0)
    return m


def compress(image, table):
    n = image.shape[-1]
    d = dct_matrix(n, image.device)
    coefficients = d @ image @ d.t()
    kept = coefficients / table
    kept = kept + (torch.round(kept) - kept).detach()
    restored = d.t() @ (kept * table) @ d
    k = torch.arange(n, dtype=torch.float32)
    phase = 2 * math.pi * torch.outer(k, k) / n
    power = (restored @ torch.cos(phase)) ** 2 + (restored @ torch.sin(phase)) ** 2
    return restored, power.mean((-2, -1))


# program: compress
def get_inputs():
    return [torch.randn(2, 3, 8, 8), torch.rand(8, 8) + 0.5]
