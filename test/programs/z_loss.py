"""Cross entropy with the squared log of its normaliser."""

import torch


def z_loss(logits, labels, coef=1e-4):
    lse = torch.logsumexp(logits, dim=-1)
    nll = lse - logits.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return (nll + coef * lse**2).mean()


def get_inputs():
    return [torch.randn(6, 11), torch.randint(0, 11, (6,))]
