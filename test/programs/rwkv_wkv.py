"""RWKV-4's weighted key-value recurrence with a running maximum."""

import torch


def rwkv_wkv(w, u, k, v):
    B, T, C = k.shape
    aa = torch.zeros(B, C, device=k.device)
    bb = torch.zeros(B, C, device=k.device)
    pp = torch.full((B, C), -1e38, device=k.device)
    out = torch.empty_like(k)
    for t in range(T):
        kk, vv = k[:, t], v[:, t]
        ww = u + kk
        p = torch.maximum(pp, ww)
        e1 = torch.exp(pp - p)
        e2 = torch.exp(ww - p)
        out[:, t] = (e1 * aa + e2 * vv) / (e1 * bb + e2)
        ww = pp + w
        p = torch.maximum(ww, kk)
        e1 = torch.exp(ww - p)
        e2 = torch.exp(kk - p)
        aa = e1 * aa + e2 * vv
        bb = e1 * bb + e2
        pp = p
    return out


def get_inputs():
    return [-torch.rand(5), torch.randn(5), torch.randn(2, 7, 5), torch.randn(2, 7, 5)]
