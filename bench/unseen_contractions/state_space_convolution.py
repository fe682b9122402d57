"""A diagonal state space as a kernel of powers, convolved causally by a Toeplitz product."""

import torch
from torch import nn


class DiagonalSSM(nn.Module):
    def __init__(self, h=3, n=4):
        super().__init__()
        self.log_a = nn.Parameter(torch.randn(h, n) * 0.3)
        self.c, self.d = nn.Parameter(torch.randn(h, n)), nn.Parameter(torch.randn(h))

    def forward(self, u):
        l = u.size(-1)
        a = -torch.exp(self.log_a)
        k = torch.einsum("hn,hnl->hl", self.c, torch.exp(a.unsqueeze(-1) * torch.arange(l, device=u.device)))
        lag = torch.arange(l)[:, None] - torch.arange(l)[None]
        toeplitz = torch.where(lag >= 0, k[:, lag.clamp(min=0)], 0.0)
        return torch.einsum("hij,bhj->bhi", toeplitz, u) + self.d.unsqueeze(-1) * u


def get_inputs():
    return [torch.randn(2, 3, 6)]
