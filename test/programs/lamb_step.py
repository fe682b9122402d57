"""One step of LAMB with its trust ratio."""

# no gradient: a write behind autograd's back

import torch


@torch.no_grad()
def lamb_step(
    param, grad, exp_avg, exp_avg_sq, step: int = 2, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01
):
    beta1, beta2 = betas
    exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
    exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
    m_hat = exp_avg / (1 - beta1**step)
    v_hat = exp_avg_sq / (1 - beta2**step)
    update = m_hat / (v_hat.sqrt() + eps) + weight_decay * param
    w_norm = param.norm(p=2)
    g_norm = update.norm(p=2)
    trust = torch.where(
        w_norm > 0, torch.where(g_norm > 0, w_norm / g_norm, torch.ones_like(w_norm)), torch.ones_like(w_norm)
    )
    param.add_(update * trust, alpha=-lr)
    return trust


def get_inputs():
    return [torch.randn(8, 6), torch.randn(8, 6), torch.zeros(8, 6), torch.zeros(8, 6)]
