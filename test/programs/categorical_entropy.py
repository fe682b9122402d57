"""The entropy of a categorical distribution."""

import torch


def categorical_entropy(logits):
    p = torch.softmax(logits, -1)
    return -(p * torch.log(p + 1e-9)).sum(-1), torch.special.entr(p).sum(-1), (p * p.log2()).sum(-1).neg()


def get_inputs():
    return [torch.randn(6, 3)]
