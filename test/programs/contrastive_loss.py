"""A symmetric contrastive loss of a similarity matrix."""

import torch
import torch.nn.functional as F


def contrastive_loss(sim, temperature=0.07):
    n = sim.shape[0]
    labels = torch.arange(n, device=sim.device)
    logits = sim / temperature
    return 0.5 * (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels))


def get_inputs():
    return [torch.rand(8, 8)]
