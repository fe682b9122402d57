"""Attention whose scores are capped by tanh, with norms of queries and keys, and a sink for each head."""

import torch
from torch import nn
from torch.nn import functional as F


class CappedAttention(nn.Module):
    def __init__(self, dim=8, heads=2, cap=20.0):
        super().__init__()
        self.heads, self.cap = heads, cap
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.q_norm = nn.RMSNorm(dim // heads, eps=1e-6)
        self.k_norm = nn.RMSNorm(dim // heads, eps=1e-6)
        self.sinks = nn.Parameter(torch.zeros(heads))
        self.out = nn.Linear(dim, dim)

    def forward(self, x, logits_mask):
        b, n, _ = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.q_norm(q), self.k_norm(k)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
        scores = self.cap * torch.tanh(scores / self.cap)
        scores = scores + logits_mask
        sinks = self.sinks.view(1, -1, 1, 1).expand(b, -1, n, 1)
        weights = F.softmax(torch.cat([scores, sinks], dim=-1), dim=-1)[..., :-1]
        y = torch.einsum("bhij,bhjd->bihd", weights, v)
        return self.out(y.flatten(2))


def get_inputs():
    mask = torch.full((5, 5), float("-inf")).triu(1)
    return [torch.randn(2, 5, 8), mask]
