"""Mamba selective scan without a loop: decay products by cumulative sums of the log, states by one more cumsum."""

import torch
import torch.nn.functional as F


def selective_scan_cumsum(u, dt, A_log, B, C, D):
    # u, dt: (b, l, d)   A_log: (d, n)   B, C: (b, l, n)   D: (d,)
    dt = F.softplus(dt - 4.0)
    A = -torch.exp(A_log)
    dA = dt.unsqueeze(-1) * A
    dBu = (dt * u).unsqueeze(-1) * B.unsqueeze(2)
    dA_cumsum = F.pad(dA[:, 1:], (0, 0, 0, 0, 0, 1)).flip(1).cumsum(1).exp().flip(1)
    x = (dBu * dA_cumsum).cumsum(1) / (dA_cumsum + 1e-12)
    y = (x * C.unsqueeze(2)).sum(dim=-1)
    return y + u * D


def get_inputs():
    b, l, d, n = 8, 640, 1536, 16
    a_log = torch.log(torch.arange(1, n + 1).float() / n).repeat(d, 1)
    return [
        torch.randn(b, l, d),
        torch.randn(b, l, d),
        a_log,
        torch.randn(b, l, n),
        torch.randn(b, l, n),
        torch.ones(d),
    ]
