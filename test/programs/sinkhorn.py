"""A few Sinkhorn iterations in log space."""

# only forward: PyTorch refuses its gradient: what it needs is written over

import torch


def sinkhorn(scores, iters: int = 3):
    q = torch.exp(scores / 0.5)
    q /= q.sum()
    for _ in range(iters):
        q /= torch.sum(q, dim=0, keepdim=True)
        q /= q.shape[1]
        q /= torch.sum(q, dim=1, keepdim=True)
        q /= q.shape[0]
    return q * q.shape[0]


def get_inputs():
    return [torch.randn(6, 8)]
