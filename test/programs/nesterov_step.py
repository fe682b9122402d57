"""One step of SGD with Nesterov momentum and weight decay."""

# no gradient: is mutated by the program

import torch


def nesterov_step(p, g, buf, lr=0.1, momentum=0.9, dampening=0.0, weight_decay=1e-2, nesterov=True):
    g = g.add(p, alpha=weight_decay)
    buf.mul_(momentum).add_(g, alpha=1 - dampening)
    g = g.add(buf, alpha=momentum) if nesterov else buf
    p.add_(g, alpha=-lr)
    return p


def get_inputs():
    return [torch.randn(100), torch.randn(100), torch.randn(100)]
