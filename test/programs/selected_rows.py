"""Rows that a mask selects, pooled and in a cross entropy."""

import torch
import torch.nn.functional as F


def f(x, keep, logits, labels):
    valid = labels != -1
    pooled = x[keep].mean(dim=0)
    total = x[keep].sum(0)
    ce = F.cross_entropy(logits[valid], labels[valid])
    ce2 = F.cross_entropy(logits[valid], labels[valid], label_smoothing=0.1, reduction="sum")
    pred = logits.argmax(-1)
    acc = (pred[valid] == labels[valid]).float().mean()
    return pooled, total, ce, ce2, acc, x[keep].norm()


def get_inputs():
    labels = torch.randint(0, 5, (3, 7))
    labels[0, 2:4] = -1
    return [torch.randn(6, 4), torch.tensor([True, False, True, True, False, True]), torch.randn(3, 7, 5), labels]
