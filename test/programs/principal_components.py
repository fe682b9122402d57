"""Covariances, whitened projections and a reconstruction loss."""

import torch


def projections(x, basis, scales):
    centred = x - x.mean(dim=0, keepdim=True)
    n = x.size(0)
    cov = centred.t() @ centred / (n - 1)
    inv_std = torch.rsqrt(torch.diagonal(cov) + 1e-5)
    corr = inv_std[:, None] * cov * inv_std
    z = (centred @ basis) / scales.clamp(min=1e-2)
    back = (z * scales) @ basis.T + x.mean(0)
    off_diagonal = corr.pow(2).sum() - corr.diagonal().pow(2).sum()
    return corr, z, torch.mean((back - x) ** 2), off_diagonal


def get_inputs():
    return [torch.randn(9, 5), torch.randn(5, 3), torch.rand(3) + 0.5]
