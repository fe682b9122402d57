"""gpt-oss expert activation: bias, interleaved gate and linear halves, clamps at 7, sigmoid gate with alpha 1.702."""

import torch


def swiglu_clamp_interleaved(x, bias):
    alpha, limit = 1.702, 7.0
    x = x + bias
    x_glu, x_linear = x[..., ::2], x[..., 1::2]
    x_glu = x_glu.clamp(min=None, max=limit)
    x_linear = x_linear.clamp(min=-limit, max=limit)
    out_glu = x_glu * torch.sigmoid(alpha * x_glu)
    return out_glu * (x_linear + 1)


def get_inputs():
    return [
        torch.randn(16384, 5760, dtype=torch.bfloat16) * 3,
        torch.randn(5760, dtype=torch.bfloat16),
    ]
