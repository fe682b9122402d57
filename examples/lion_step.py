"""One step of the Lion optimizer: the sign of an interpolated momentum, written in place."""

import torch


@torch.no_grad()
def lion_step(param, grad, momentum, lr=1e-4, beta1=0.9, beta2=0.99, decay=0.1):
    update = (momentum * beta1 + grad * (1 - beta1)).sign_()
    param.mul_(1 - lr * decay).add_(update, alpha=-lr)
    momentum.mul_(beta2).add_(grad, alpha=1 - beta2)
    return update


def get_inputs():
    return [torch.randn(3000), torch.randn(3000), torch.randn(3000)]
