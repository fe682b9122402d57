"""einsum where one operand has all axes: permutations, sums, diagonals, row products."""

# options: --inputs x=f32[2,3,5],y=f32[4,6],z=f32[4,6],h=f16[N,M]

import torch


def f(x, y, z, h):
    return (
        torch.einsum("nhw->nwh", x),
        torch.einsum("nhw->h", x),
        torch.einsum("...w->...", x),
        torch.einsum("ij,ij->i", y, z),
        torch.einsum("bnd,bd->bn", x, z[:2, :5]),
        torch.einsum("i,j->ij", y[0], z[:, 0]),
        torch.einsum("bij,bij,bij->b", x, x, x),
        torch.einsum("...d,d->...d", x, y[0, :5]),
        torch.einsum("...d,d", x, y[0, :5]),
        torch.einsum("ii->i", y[:4, :4]),
        torch.einsum("ii", y[:4, :4]),
        torch.einsum("ij,ij->", [y, z]),
        torch.einsum("bd,bd->b", h, h),
        torch.einsum("a b c -> c a b", x),
    )


def get_inputs():
    return [torch.randn(2, 3, 5), torch.randn(4, 6), torch.randn(4, 6), torch.randn(3, 7).half()]
