"""Every other product that can be left to PyTorch."""

# options: --keep-torch mm,bmm,mv,dot,vdot,addmm,addmv,baddbmm,addbmm,outer,ger,inner,kron,tensordot,linear,bilinear,cdist

import torch
import torch.nn.functional as F


def kept_more_products(a, b, u, v, w, t):
    turned = w.transpose(1, 2)
    results = [
        torch.mm(a, b),
        torch.bmm(w, turned),
        a.mv(u),
        torch.dot(u, v),
        torch.vdot(u, v),
        torch.addmm(b[:4], a, b, beta=0.5),
        torch.addmv(b[:4, 0], a, u),
        torch.baddbmm(w[:, :, :4], w, turned, alpha=2),
        torch.addbmm(a[:, :4], w, turned),
        torch.outer(u, v),
        torch.ger(u, v),
        torch.inner(a, w),
        torch.kron(a, b),
        torch.tensordot(w, b, 1),
        torch.tensordot(w, a, dims=([1, 2], [0, 1])),
        F.linear(w, a),
        F.bilinear(w, w, t, u[:2]),
        torch.cdist(w, a + 3),
    ]
    return [result * 2 for result in results]


def get_inputs():
    return [
        torch.randn(4, 5),
        torch.randn(5, 6),
        torch.randn(5),
        torch.randn(5),
        torch.randn(3, 4, 5),
        torch.randn(2, 5, 5),
    ]
