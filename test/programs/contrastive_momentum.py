"""Queries against a queue of keys, whose encoder follows the other by a moving average (MoCo)."""

# no gradient: is mutated

import torch
from torch import nn


def momentum_step(weights, averages, images, queue, m: float = 0.99, T: float = 0.07):
    for w, a in zip(weights, averages):
        a.mul_(m).add_(w, alpha=1.0 - m)
    q = nn.functional.normalize(torch.relu(images @ weights[0]) @ weights[1], dim=1)
    k = nn.functional.normalize(torch.relu(images @ averages[0]) @ averages[1], dim=1)
    l_pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
    l_neg = torch.einsum("nc,ck->nk", [q, queue])
    logits = torch.cat([l_pos, l_neg], dim=1) / T
    labels = torch.zeros(logits.shape[0], dtype=torch.long)
    return nn.functional.cross_entropy(logits, labels), k


def get_inputs():
    weights = [torch.randn(6, 5), torch.randn(5, 4)]
    averages = [torch.randn(6, 5), torch.randn(5, 4)]
    return [weights, averages, torch.randn(3, 6), torch.randn(4, 7)]
