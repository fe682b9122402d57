"""The norm of rows of one number: its gradient is 0 where forward and backward see the same halves, else what they were
rounded by, 316 times."""

import torch
import torch.nn.functional as F


def amplified_rounding(x, z):
    t0 = torch.erf(x)
    t1 = torch.logaddexp(x, t0)
    t2 = F.layer_norm(t1, (t1.shape[-1],), z)
    t3 = t1 * torch.rsqrt(t1.square().mean(0, keepdim=True) + 0.1)
    return t3, t2


def get_inputs():
    torch.manual_seed(0)
    return [torch.randn(9, 1).bfloat16(), torch.randn(1).bfloat16()]
