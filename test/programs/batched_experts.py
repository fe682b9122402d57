"""Experts as one batch of matrices, weighted by a router that chooses one for each token."""

import torch
from torch import nn
import torch.nn.functional as F


class SwitchLayer(nn.Module):
    def __init__(self, dim=6, hidden=8, experts=3, capacity_factor=1.0):
        super().__init__()
        self.router = nn.Linear(dim, experts)
        self.w1 = nn.Parameter(torch.randn(experts, dim, hidden) * 0.3)
        self.w2 = nn.Parameter(torch.randn(experts, hidden, dim) * 0.3)
        self.b1 = nn.Parameter(torch.zeros(experts, 1, hidden))
        self.experts = experts

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs = F.softmax(self.router(x), dim=-1)
        gate, index = probs.max(dim=-1)
        mask = F.one_hot(index, self.experts).to(x.dtype)
        dispatched = torch.einsum("te,td->etd", mask, x)
        h = torch.relu(torch.bmm(dispatched, self.w1) + self.b1)
        y = torch.bmm(h, self.w2)
        out = torch.einsum("etd,te->td", y, mask * gate[:, None])
        loss = self.experts * (mask.mean(0) * probs.mean(0)).sum()
        return out.view(shape), loss


def get_inputs():
    return [torch.randn(2, 4, 6)]
