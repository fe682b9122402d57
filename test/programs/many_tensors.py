"""More tensors than an operator of PyTorch may have arguments."""

# only forward

import torch


@torch.no_grad()
def average_weights(shadow, weights, decay=0.99):
    for s, w in zip(shadow, weights):
        s.mul_(decay).add_(w, alpha=1 - decay)
    return shadow


def get_inputs():
    return [[torch.randn(3 + i % 4) for i in range(33)], [torch.randn(3 + i % 4) for i in range(33)]]
