"""Weighted cross entropy of every pixel, with ignored ones."""

# only forward: PyTorch refuses a gradient of the weight

import torch
import torch.nn.functional as F


def segmentation_loss(logits, target, weight):
    return F.cross_entropy(logits, target, weight=weight, ignore_index=2)


def get_inputs():
    return [torch.randn(2, 5, 4, 6), torch.randint(0, 5, (2, 4, 6)), torch.rand(5)]
