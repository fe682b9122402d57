"""Equal results with gradients of their own."""

import torch


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


def reversed_twin(x, y):
    a = x * y
    return a, Reversed.apply(a), a


def get_inputs():
    return [torch.randn(3, 4), torch.randn(3, 4)]
