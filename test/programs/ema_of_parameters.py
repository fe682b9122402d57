"""A moving average of several parameters."""

# program: ema_of_parameters
# no gradient: a write behind autograd's back

import torch


@torch.no_grad()
def ema(params, avg, decay=0.99):
    for p, a in zip(params, avg):
        a.mul_(decay).add_(p, alpha=1 - decay)
    return avg


def ema_of_parameters(p1, p2, a1, a2):
    return ema([p1, p2], [a1, a2])


def get_inputs():
    return [torch.randn(10), torch.randn(4, 5), torch.randn(10), torch.randn(4, 5)]
