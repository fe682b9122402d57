"""KL divergence of two categorical distributions given by logits."""

import torch


def kl_divergence(p_logits, q_logits):
    log_p = p_logits.log_softmax(-1)
    log_q = q_logits.log_softmax(-1)
    return (log_p.exp() * (log_p - log_q)).sum(-1)


def get_inputs():
    return [torch.randn(64, 1000), torch.randn(64, 1000)]
