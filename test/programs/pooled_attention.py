"""Attention pooling: learned queries over a sequence, positions that are padding left out; a non-local block beside it."""

import torch
import torch.nn as nn


class AttentionPool(nn.Module):
    def __init__(self, dim=6, queries=2):
        super().__init__()
        self.query = nn.Parameter(torch.randn(queries, dim))
        self.key = nn.Linear(dim, dim)
        self.theta = nn.Linear(dim, dim // 2)
        self.phi = nn.Linear(dim, dim // 2)
        self.g = nn.Linear(dim, dim // 2)
        self.w = nn.Linear(dim // 2, dim)

    def forward(self, x, lengths):
        f = torch.bmm(self.theta(x), self.phi(x).transpose(1, 2)) / x.shape[1]
        x = x + self.w(torch.bmm(f, self.g(x)))
        mask = torch.arange(x.size(1))[None, :] >= lengths[:, None]
        scores = torch.einsum("qd,btd->bqt", self.query, torch.tanh(self.key(x)))
        weights = scores.masked_fill(mask[:, None], float("-inf")).softmax(-1)
        return (weights.unsqueeze(-1) * x.unsqueeze(1)).sum(2), weights


def get_inputs():
    return [torch.randn(3, 5, 6), torch.tensor([5, 3, 1])]
