"""AdEMAMix with its two schedules in Python."""

# no gradient: a write behind autograd's back

# program: ademamix

import math

import torch


def linear_warmup_scheduler(step, alpha_end, alpha_start=0, warmup=1):
    if step < warmup:
        a = step / float(warmup)
        return (1.0 - a) * alpha_start + a * alpha_end
    return alpha_end


def linear_hl_warmup_scheduler(step, beta_end, beta_start=0, warmup=1):
    def f(beta, eps=1e-8):
        return math.log(0.5) / math.log(beta + eps) - 1

    def f_inv(t):
        return math.pow(0.5, 1 / (t + 1))

    if step < warmup:
        a = step / float(warmup)
        return f_inv((1.0 - a) * f(beta_start) + a * f(beta_end))
    return beta_end


@torch.no_grad()
def ademamix(
    p,
    grad,
    fast,
    slow,
    second,
    betas=(0.9, 0.999, 0.9999),
    alpha=2.0,
    lr=1e-3,
    eps=1e-8,
    lmbda=0.01,
    beta3_warmup=1000,
    alpha_warmup=1000,
):
    step = 10
    beta1, beta2, beta3_final = betas
    bias_correction1 = 1 - beta1**step
    bias_correction2 = 1 - beta2**step
    alpha = (
        linear_warmup_scheduler(step, alpha_end=alpha, alpha_start=0, warmup=alpha_warmup)
        if alpha_warmup is not None
        else alpha
    )
    beta3 = linear_hl_warmup_scheduler(step, beta_end=beta3_final, beta_start=beta1, warmup=beta3_warmup)
    if beta1 != 0.0:
        fast.mul_(beta1).add_(grad, alpha=1 - beta1)
    else:
        fast = grad
    slow.mul_(beta3).add_(grad, alpha=1 - beta3)
    second.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    denom = (second.sqrt() / math.sqrt(bias_correction2)).add_(eps)
    update = (fast.div(bias_correction1) + alpha * slow) / denom
    update.add_(p, alpha=lmbda)
    p.add_(-lr * update)


def get_inputs():
    return [torch.randn(9), torch.randn(9), torch.randn(9), torch.randn(9), torch.rand(9)]
