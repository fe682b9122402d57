"""The correlation of two views driven to the identity."""

import torch
from torch import nn


class Barlow(nn.Module):
    def __init__(self, dim=6, out=5, lambd=0.005):
        super().__init__()
        self.projector = nn.Sequential(
            nn.Linear(dim, out, bias=False), nn.BatchNorm1d(out), nn.ReLU(), nn.Linear(out, out, bias=False)
        )
        self.bn = nn.BatchNorm1d(out, affine=False)
        self.lambd = lambd

    def forward(self, a, b):
        c = self.bn(self.projector(a)).T @ self.bn(self.projector(b))
        c = c / a.shape[0]
        on_diag = torch.diagonal(c).add(-1).pow(2).sum()
        off_diag = c.flatten()[:-1].view(c.shape[0] - 1, c.shape[0] + 1)[:, 1:].flatten().pow(2).sum()
        return on_diag + self.lambd * off_diag


def get_inputs():
    return [torch.randn(8, 6), torch.randn(8, 6)]
