"""One step of RMSprop."""

import torch


def rmsprop_step(p, g, sq, lr=1e-2, alpha=0.99, eps=1e-8):
    sq = sq * alpha + (1 - alpha) * g.pow(2)
    return p - lr * g / (torch.sqrt(sq) + eps), sq


def get_inputs():
    return [torch.randn(100), torch.randn(100), torch.rand(100)]
