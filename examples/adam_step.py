"""One step of Adam that returns the new state."""

import torch


def adam_step(param, grad, m, v, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    m = torch.lerp(grad, m, beta1)
    v = beta2 * v + (1 - beta2) * grad * grad
    return param - lr * m / (v.sqrt() + eps), m, v


def get_inputs():
    return [torch.randn(4096), torch.randn(4096), torch.randn(4096), torch.rand(4096)]
