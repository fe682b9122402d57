"""The delta rule (DeltaNet): each turn corrects what the state says of the turn's key."""

import torch


def delta_rule(q, k, v, beta):
    b, h, n, d_k = q.shape
    d_v = v.shape[-1]
    S = torch.zeros(b, h, d_k, d_v)
    q = q * (d_k**-0.5)
    k = torch.nn.functional.normalize(k, dim=-1)
    o = []
    for i in range(n):
        _k = k[:, :, i]
        _q = q[:, :, i]
        _v = v[:, :, i]
        beta_i = beta[:, :, i]
        _v = _v - (S * _k[..., None]).sum(-2)
        _v = _v * beta_i[..., None]
        S = S + _k.unsqueeze(-1) * _v.unsqueeze(-2)
        o.append(torch.einsum("bhd,bhdm->bhm", _q, S))
    return torch.stack(o, dim=2)


def get_inputs():
    return [torch.randn(2, 2, 5, 3), torch.randn(2, 2, 5, 3), torch.randn(2, 2, 5, 4), torch.rand(2, 2, 5)]
