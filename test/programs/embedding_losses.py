"""Cosine embedding, hinge embedding and margin ranking losses."""

import torch
import torch.nn.functional as F


def embedding_losses(x, y, z, t):
    return (
        F.cosine_embedding_loss(x, y, t, margin=0.2),
        F.triplet_margin_loss(x, y, z, margin=0.5, p=2),
        F.triplet_margin_loss(x, y, z, swap=True, reduction="none"),
        F.pairwise_distance(x, y, p=1, keepdim=True),
    )


def get_inputs():
    return [torch.randn(6, 9), torch.randn(6, 9), torch.randn(6, 9), torch.randint(0, 2, (6,)) * 2 - 1]
