"""Layer norm whose scale and shift are inputs."""

import torch
import torch.nn as nn


class AdaLNModulate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim, elementwise_affine=False, eps=1e-6)

    def forward(self, x, c):
        shift, scale, gate = c.chunk(3, dim=1)
        h = self.norm(x) * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)
        return x + gate.unsqueeze(1) * h


def get_inputs():
    return [torch.randn(2, 5, 32), torch.randn(2, 96)]


def get_init_inputs():
    return [32]
