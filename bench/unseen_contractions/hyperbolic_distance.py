"""Distances on a ball between all pairs."""

import torch


def poincare(u, v, eps: float = 1e-5):
    uu = torch.clamp((u * u).sum(-1), 0, 1 - eps)
    vv = torch.clamp((v * v).sum(-1), 0, 1 - eps)
    sq = uu[:, None] + vv[None, :] - 2 * u @ v.T
    x = 1 + 2 * sq.clamp_min(1e-9) / ((1 - uu)[:, None] * (1 - vv)[None])
    return torch.log(x + torch.sqrt(x.pow(2) - 1))


def get_inputs():
    return [torch.rand(4, 3) * 0.4, torch.rand(5, 3) * 0.4]
