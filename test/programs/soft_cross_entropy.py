"""Cross entropy with probabilities as the target."""

import torch
import torch.nn.functional as F


def soft_cross_entropy(logits, target):
    p = target.softmax(-1)
    return F.cross_entropy(logits, p), F.cross_entropy(logits, p, reduction="none", label_smoothing=0.1)


def get_inputs():
    return [torch.randn(8, 10), torch.randn(8, 10)]
