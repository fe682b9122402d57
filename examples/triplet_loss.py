"""Triplet margin loss on normalised embeddings, with the harder of two negatives."""

import torch
import torch.nn.functional as F


def triplet_loss(anchor, positive, negative, margin=0.2):
    a, p, n = (F.normalize(x, dim=-1) for x in (anchor, positive, negative))
    return F.triplet_margin_loss(a, p, n, margin=margin, swap=True)


def get_inputs():
    return [torch.randn(32, 96), torch.randn(32, 96), torch.randn(32, 96)]
