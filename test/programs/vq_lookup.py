"""Residual finite scalar quantisation and codes."""

# program: FSQ

from __future__ import annotations

from typing import List

import torch
from torch import Tensor, int32
from torch.nn import Module


def exists(v):
    return v is not None


def default(*args):
    for arg in args:
        if exists(arg):
            return arg
    return None


def round_ste(z: Tensor) -> Tensor:
    """round with straight through gradients."""
    zhat = z.round()
    return z + (zhat - z).detach()


class FSQ(Module):
    def __init__(self, levels: List[int], dim: int | None = None, scale: float | None = None):
        super().__init__()
        _levels = torch.tensor(levels, dtype=int32)
        self.register_buffer("_levels", _levels, persistent=False)
        _basis = torch.cumprod(torch.tensor([1] + levels[:-1]), dim=0, dtype=int32)
        self.register_buffer("_basis", _basis, persistent=False)
        self.scale = scale
        self.codebook_dim = len(levels)
        self.dim = default(dim, len(_levels))
        self.codebook_size = self._levels.prod().item()

    def bound(self, z, eps: float = 1e-3):
        half_l = (self._levels - 1) * (1 + eps) / 2
        offset = torch.where(self._levels % 2 == 0, 0.5, 0.0)
        shift = (offset / half_l).atanh()
        return (z + shift).tanh() * half_l - offset

    def quantize(self, z):
        quantized = round_ste(self.bound(z))
        half_width = self._levels // 2
        return quantized / half_width

    def _scale_and_shift(self, zhat_normalized):
        half_width = self._levels // 2
        return (zhat_normalized * half_width) + half_width

    def codes_to_indices(self, zhat):
        assert zhat.shape[-1] == self.codebook_dim
        zhat = self._scale_and_shift(zhat)
        return (zhat * self._basis).sum(dim=-1).to(int32)

    def forward(self, z):
        codes = self.quantize(z)
        return codes, self.codes_to_indices(codes)


def get_inputs():
    return [torch.randn(3, 5, 4)]


def get_init_inputs():
    return [[8, 5, 5, 4]]
