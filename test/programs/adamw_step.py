"""One step of AdamW with decoupled weight decay and bias correction."""

# no gradient: a write behind autograd's back

import math

import torch


@torch.no_grad()
def adamw_step(
    param, grad, exp_avg, exp_avg_sq, step: int = 3, lr=1e-3, beta1=0.9, beta2=0.95, eps=1e-8, weight_decay=0.1
):
    param.mul_(1 - lr * weight_decay)
    exp_avg.lerp_(grad, 1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    bias_correction1 = 1 - beta1**step
    bias_correction2 = 1 - beta2**step
    denom = (exp_avg_sq.sqrt() / math.sqrt(bias_correction2)).add_(eps)
    param.addcdiv_(exp_avg, denom, value=-lr / bias_correction1)


def get_inputs():
    return [torch.randn(100), torch.randn(100), torch.randn(100), torch.rand(100)]
