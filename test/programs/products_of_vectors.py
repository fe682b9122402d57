"""Products that move as many numbers as they multiply, in every spelling."""

import torch


def products(a, x, y, b):
    return (
        a @ x,
        y @ a,
        x @ x,
        torch.mv(a, x),
        a.matmul(x) + y.matmul(a).sum(),
        torch.addmv(y, a, x, beta=0.5, alpha=2),
        torch.addr(a, y, x, beta=2),
        torch.inner(a, x),
        torch.linalg.vecdot(a, a * 2),
        torch.tensordot(b, x, dims=1),
        torch.tensordot(b, a, dims=([1, 2], [0, 1])),
        b @ x,
        b.unsqueeze(1) @ x,
        (y.unsqueeze(0) @ a).squeeze(0),
        y.unsqueeze(1) @ x.unsqueeze(0),
        torch.bmm(b[:, :1], b.transpose(1, 2)),
    )


def get_inputs():
    return [torch.randn(5, 7), torch.randn(7), torch.randn(5), torch.randn(3, 5, 7)]
