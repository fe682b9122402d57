"""Retention in its parallel form: causal decays for each head in place of a softmax, with a group norm and a gate."""

import torch
from torch import nn
import torch.nn.functional as F


class MultiScaleRetention(nn.Module):
    def __init__(self, hidden=8, heads=2):
        super().__init__()
        self.heads = heads
        self.head_size = hidden // heads
        gammas = 1 - torch.exp(torch.linspace(torch.log(torch.tensor(1 / 32)), torch.log(torch.tensor(1 / 512)), heads))
        self.register_buffer("gammas", gammas)
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(hidden, hidden) / hidden) for _ in range(3))
        self.W_G = nn.Parameter(torch.randn(hidden, hidden) / hidden)
        self.W_O = nn.Parameter(torch.randn(hidden, hidden) / hidden)
        self.group_norm = nn.GroupNorm(heads, hidden)

    def _get_D(self, n):
        i = torch.arange(n).unsqueeze(1)
        j = torch.arange(n).unsqueeze(0)
        D = (self.gammas.view(-1, 1, 1) ** (i - j)) * (i >= j).float()
        return D.nan_to_num()

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = ((x @ w).view(b, n, self.heads, -1).transpose(1, 2) for w in (self.W_Q, self.W_K, self.W_V))
        ret = ((q @ k.transpose(-1, -2)) * self._get_D(n).unsqueeze(0)) @ v
        y = self.group_norm(ret.transpose(1, 2).reshape(b * n, d)).reshape(b, n, d)
        return (F.silu(x @ self.W_G) * y) @ self.W_O


def get_inputs():
    return [torch.randn(2, 5, 8)]
