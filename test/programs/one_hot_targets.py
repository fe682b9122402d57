"""One-hot vectors of targets."""

import torch
import torch.nn.functional as F


def one_hot_targets(y, x):
    h = F.one_hot(y, num_classes=6).to(x.dtype)
    sm = h * 0.9 + 0.1 / 6
    return -(sm * F.log_softmax(x, -1)).sum(-1).mean(), h


def get_inputs():
    return [torch.randint(0, 6, (5,)), torch.randn(5, 6)]
