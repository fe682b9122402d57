"""Operators as an exported graph names them."""

import torch

aten = torch.ops.aten


def rms_norm_graph(x_1, w_1):
    convert = torch.ops.aten._to_copy.default(x_1, dtype=torch.float32)
    pow_1 = torch.ops.aten.pow.Tensor_Scalar(convert, 2)
    mean = torch.ops.aten.mean.dim(pow_1, [-1], True)
    add = torch.ops.aten.add.Tensor(mean, 1e-06)
    rsqrt = torch.ops.aten.rsqrt.default(add)
    mul = torch.ops.aten.mul.Tensor(convert, rsqrt)
    mul_1 = aten.mul.Tensor(w_1, mul)
    silu = aten.silu.default(mul_1)
    s = aten._softmax.default(silu, -1, False)
    sl = aten.slice.Tensor(s, 1, 1, 9223372036854775807)
    v = aten.view.default(aten.clone.default(s), [-1])
    ln = aten.native_layer_norm.default(mul, [8], w_1, None, 1e-5)
    w = aten.where.self(aten.gt.Scalar(s, 0.1), s, aten.full_like.default(s, 0))
    return (
        sl,
        v,
        ln[0],
        aten.sum.dim_IntList(w, [0], True),
        aten.amax.default(s, [1]),
        aten.select.int(s, 0, 1),
        aten.cat.default([s, w], 1),
        aten.unsqueeze.default(s, 0),
    )


def get_inputs():
    return [torch.randn(3, 8), torch.rand(8)]
