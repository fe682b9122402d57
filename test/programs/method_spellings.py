"""Operators by their other names."""

import torch


def run(x, y):
    s = x.sum(axis=-1, keepdims=True) if False else x.sum(dim=(-1,), keepdim=True)
    a = x.sub(y).absolute().clip(0.1, 2).multiply(2).divide(3, rounding_mode=None).negative()
    b = x.ge(y).float().mul(x.greater_equal(0)).add(torch.less(x, y))
    c = torch.true_divide(x, y.abs() + 1).fmod(0.7).remainder(0.3)
    d = x.T.contiguous().mT.swapaxes(0, 1).movedim(0, -1).adjoint().moveaxis(-1, 0)
    e = torch.concat([x, y], axis=1).narrow(1, 1, 3).unfold(1, 2, 1).amax(-1)
    f = x.expand(2, *x.shape).permute(1, 0, 2).reshape(x.shape[0], -1).diff(n=2, dim=-1)
    g = x.norm(p=1, dim=0) + x.var(0, unbiased=True) + x.std(dim=0, correction=0) + x.prod(0) + x.logsumexp(0)
    h = torch.ops.aten.mul.Tensor(x, y) + torch.ops.aten.add(x, 1)
    k = x.view_as(y).type_as(y).to(y).double().to(torch.float32).ravel()[::3]
    l = torch.special.expm1(x) + torch.special.sinc(y) + torch.special.log1p(x.abs()) + torch.sgn(x)
    return s, a, b, c, d, e, f, g, h, k, l, x.ndimension()


def get_inputs():
    return [torch.randn(3, 4), torch.randn(3, 4)]
