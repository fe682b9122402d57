"""Masks that hang on sizes alone select as many elements in each call: SimCLR's pairs, triangles, every third row."""

import torch
from torch.nn import functional as F


def f(features, x):
    n = features.shape[0] // 2
    labels = torch.cat([torch.arange(n) for _ in range(2)])
    labels = labels.unsqueeze(0) == labels.unsqueeze(1)
    features = F.normalize(features, dim=1)
    similarity = features @ features.T
    mask = torch.eye(labels.shape[0], dtype=torch.bool)
    labels = labels[~mask].view(labels.shape[0], -1)
    similarity = similarity[~mask].view(similarity.shape[0], -1)
    positives = similarity[labels.bool()].view(labels.shape[0], -1)
    negatives = similarity[~labels.bool()].view(similarity.shape[0], -1)
    logits = torch.cat([positives, negatives], dim=1) / 0.07
    loss = F.cross_entropy(logits, torch.zeros(logits.shape[0], dtype=torch.long))
    m = x.shape[1]
    i, j = torch.triu(torch.ones(m, m), 1).nonzero(as_tuple=True)
    third = torch.arange(m) % 3 == 0
    return loss, x[:, torch.ones(m, m).tril() > 0], x[:, i, j], x[:, third].cumsum(1), x[0][third].sort(0)[0]


def get_inputs():
    return [torch.randn(6, 8), torch.randn(2, 7, 7)]
