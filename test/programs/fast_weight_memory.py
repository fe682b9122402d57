"""A fast weight memory that corrects what it has stored under a key (DeltaNet), one step after the other."""

import torch
import torch.nn.functional as F


def delta_rule(q, k, v, beta):
    """q, k: (B, H, T, D); v: (B, H, T, E); beta: (B, H, T)"""
    b, h, l, d = q.shape
    k = F.normalize(k, dim=-1)
    q = q * d**-0.5
    o = torch.zeros_like(v)
    S = torch.zeros(b, h, d, v.shape[-1]).to(v)
    for i in range(l):
        _k = k[:, :, i]
        _q = q[:, :, i]
        _v = v[:, :, i].clone()
        _beta = beta[:, :, i].sigmoid()
        _v = _v - (S.clone() * _k[..., None]).sum(-2)
        _v = _v * _beta[..., None]
        S = S.clone() + _k.unsqueeze(-1) * _v.unsqueeze(-2)
        o[:, :, i] = torch.einsum("bhd,bhdm->bhm", _q, S)
    return o, S


def get_inputs():
    return [torch.randn(2, 2, 5, 3), torch.randn(2, 2, 5, 3), torch.randn(2, 2, 5, 4), torch.randn(2, 2, 5)]
