"""Products of float16 and bfloat16, with sums in float32 where they are asked for."""

import torch


def half_products(a, b, c):
    plain = a @ b
    wide = torch.matmul(a.float(), b.float()).half()
    mixed = (c @ c.transpose(-1, -2)).float().softmax(dim=-1).to(c.dtype) @ c
    return plain, wide, mixed, torch.baddbmm(c @ c.mT, c, c.mT, beta=0.5, alpha=2)


def get_inputs():
    a = torch.randn(5, 8, dtype=torch.float16)
    return [a, torch.randn(8, 6, dtype=torch.float16), torch.randn(2, 4, 6, dtype=torch.bfloat16)]
