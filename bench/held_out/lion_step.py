"""A step of the Lion optimizer in place: sign of an interpolated momentum, decoupled decay."""
# only forward

import torch


def lion_step(p, grad, exp_avg, lr=1e-4, beta1=0.9, beta2=0.99, weight_decay=0.1):
    p.mul_(1 - lr * weight_decay)
    update = exp_avg.clone().mul_(beta1).add(grad, alpha=1 - beta1).sign_()
    p.add_(update, alpha=-lr)
    exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)


def get_inputs():
    elements = 187000000
    return [torch.randn(elements), torch.randn(elements), torch.randn(elements)]
