"""One step of RAdam."""

# no gradient: is mutated by the program

import math

import torch


def radam_step(p, g, m, v, step: int = 10, lr=1e-3, b1=0.9, b2=0.999):
    m.mul_(b1).add_(g, alpha=1 - b1)
    v.mul_(b2).addcmul_(g, g.conj() if g.is_complex() else g, value=1 - b2)
    rho_inf = 2 / (1 - b2) - 1
    rho = rho_inf - 2 * step * b2**step / (1 - b2**step)
    if rho > 5:
        rect = math.sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
        p.addcdiv_(m, v.sqrt().add_(1e-8), value=-lr * rect * math.sqrt(1 - b2**step) / (1 - b1**step))
    else:
        p.add_(m, alpha=-lr / (1 - b1**step))
    return p


def get_inputs():
    return [torch.randn(8, 6), torch.randn(8, 6), torch.randn(8, 6), torch.rand(8, 6)]
