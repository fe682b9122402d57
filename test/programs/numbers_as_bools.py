"""Numbers that become truths: all but 0 are true. And a ravel that is a copy."""

import torch
import torch.nn.functional as F


def truths(x):
    mask = torch.tensor([3, 0, 2, 1, 4], dtype=torch.bool)
    half = torch.full_like(x, 0.5, dtype=torch.bool)
    positive = x > 0
    filled = (x > 1).fill_(2)
    strided = torch.cat([x, x], -1)[..., ::2]
    flat = strided.ravel()
    flat.add_(1)
    return torch.where(mask, x, 0.0), half, filled, F.pad(positive, (1, 1), value=2), strided, flat


def get_inputs():
    return [torch.randn(3, 5)]
