"""Gradients clipped by their norm, parameters stepped."""

# no gradient: is mutated by the program

import torch


def clip_and_step(params, grads, lr: float = 0.1, weight_decay: float = 0.01):
    total = torch.sqrt(sum((g.float() ** 2).sum() for g in grads))
    clip = (1.0 / (total + 1e-6)).clamp(max=1.0)
    for p, g in zip(params, grads):
        p.mul_(1 - lr * weight_decay).add_(g * clip, alpha=-lr)
    return total


def get_inputs():
    return [(torch.randn(4, 3), torch.randn(5)), (torch.randn(4, 3), torch.randn(5))]
