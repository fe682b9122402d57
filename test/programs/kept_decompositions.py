"""Decompositions of PyTorch: several results, by name and by place."""

# options: --keep-torch eigh,qr,svd,slogdet

import torch


def kept_decompositions(x, y):
    s = x + x.transpose(-1, -2)
    w, v = torch.linalg.eigh(s)
    q, r = torch.linalg.qr(y)
    f = torch.linalg.svd(y, full_matrices=False)
    d = torch.linalg.slogdet(s)
    return w.exp() * 2, f.S.sum(-1) + d.logabsdet, (r.abs() + 1).log()


def get_inputs():
    return [torch.randn(3, 4, 4), torch.randn(3, 6, 4)]
