import torch
import torch.nn.functional as F


def shifted_scan(dt, b):
    s = F.pad(dt[:, 1:], (0, 0, 0, 1)).flip(1).cumsum(1).exp().flip(1)
    return (b * s).cumsum(1) / (s + 1e-12)


def get_inputs():
    return [torch.randn(2, 12, 8), torch.randn(2, 12, 8)]
