"""Root-mean-square normalisation over channels."""

import torch
import torch.nn as nn


class RMSNormChannels(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5):
        super(RMSNormChannels, self).__init__()
        self.num_features = num_features
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rms = torch.sqrt(torch.mean(x**2, dim=1, keepdim=True) + self.eps)
        return x / rms


def get_inputs():
    return [torch.randn(4, 16, 6, 7)]


def get_init_inputs():
    return [16]
