"""Microscaling: a power of two per block of 32 values."""

import torch


def mx_block_scale(x, block_size: int = 32, emax: int = 2, max_norm: float = 6.0):
    *lead, n = x.shape
    if n % block_size != 0:
        raise ValueError(f"last dimension {n} is not divisible by {block_size}")
    blocks = x.view(*lead, n // block_size, block_size)
    amax = blocks.abs().amax(-1, keepdim=True)
    exponent = torch.floor(torch.log2(amax + torch.finfo(torch.float32).tiny * (amax == 0).type(amax.dtype))) - emax
    exponent = exponent.clamp(-127, 127)
    scale = torch.exp2(exponent)
    a = blocks / scale
    private = torch.floor(torch.log2(a.abs() + (a == 0).to(a.dtype))).clip(min=0)
    step = 2.0 ** (private - 1)
    q = torch.sign(a) * torch.floor(a.abs() / step + 0.5) * step
    q = torch.clamp(q, -max_norm, max_norm)
    return (q * scale).view_as(x), (exponent.squeeze(-1) + 127).to(torch.uint8)


def get_inputs():
    return [torch.randn(3, 64)]
