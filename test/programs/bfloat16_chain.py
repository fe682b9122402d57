"""A chain of operators in bfloat16."""

import torch
import torch.nn.functional as F


def bfloat16_chain(x, w):
    return (
        F.rms_norm(x, (16,), w, 1e-6),
        F.mish(x),
        torch.erf(x),
        x.exp() - 1,
        F.normalize(x, dim=-1),
        torch.where(x > 0, x, 0.1 * x),
        x.clamp(max=w),
        F.mse_loss(x, x * w),
        x.std(0),
        torch.addcmul(x, x, w, value=0.1),
        x.prod(-1),
    )


def get_inputs():
    return [torch.randn(4, 16).bfloat16(), torch.randn(16).bfloat16()]
