"""One step of SGD with momentum, in place."""

import torch


def sgd_momentum(param, grad, momentum_buffer, lr: float = 0.01, momentum: float = 0.9):
    momentum_buffer.mul_(momentum).add_(grad)
    param.sub_(lr * momentum_buffer)
    return param


def get_inputs():
    return [torch.randn(4096), torch.randn(4096), torch.randn(4096)]
