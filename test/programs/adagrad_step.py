"""One step of Adagrad, its state updated in place."""

# no gradient: is mutated by the program

import torch


def adagrad_step(p, g, s, lr=1e-2):
    s.addcmul_(g, g)
    p.addcdiv_(g, s.sqrt().add_(1e-10), value=-lr)
    return p


def get_inputs():
    return [torch.randn(100), torch.randn(100), torch.rand(100)]
