"""Clamped gated activation of interleaved halves, with a bias of one on the linear half."""
# surveyed: swiglu_clamp_interleaved

import torch


def swiglu_clamped(x, alpha=1.702, limit=7.0):
    x_glu, x_linear = x[..., ::2], x[..., 1::2]
    x_glu = x_glu.clamp(min=None, max=limit)
    x_linear = x_linear.clamp(min=-limit, max=limit)
    out_glu = x_glu * torch.sigmoid(alpha * x_glu)
    return out_glu * (x_linear + 1)


def get_inputs():
    return [torch.randn(31000, 11520, dtype=torch.bfloat16)]
