"""Row and column factors of second moments."""

# no gradient: is mutated by the program

import torch


def adafactor_factors(g, row, col, beta2=0.99, eps=1e-30):
    u = g.square() + eps
    row.mul_(beta2).add_(u.mean(dim=-1), alpha=1 - beta2)
    col.mul_(beta2).add_(u.mean(dim=-2), alpha=1 - beta2)
    r = (row / row.mean(dim=-1, keepdim=True)).rsqrt_().unsqueeze(-1)
    c = col.unsqueeze(-2).rsqrt()
    upd = g * r * c
    rms = upd.norm(2) / (upd.numel() ** 0.5)
    return upd / torch.clamp(rms, min=1.0)


def get_inputs():
    return [torch.randn(8, 6), torch.rand(8), torch.rand(6)]
