"""Differential attention epilogue: learned-lambda difference of two head outputs, per-head RMS norm, sigmoid gate."""

import math

import torch
import torch.nn as nn


class DiffHeadNorm(nn.Module):
    def __init__(self, head_dim, depth, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * depth)
        half = head_dim // 2
        self.lambda_q1 = nn.Parameter(torch.randn(half) * 0.1)
        self.lambda_k1 = nn.Parameter(torch.randn(half) * 0.1)
        self.lambda_q2 = nn.Parameter(torch.randn(half) * 0.1)
        self.lambda_k2 = nn.Parameter(torch.randn(half) * 0.1)
        self.weight = nn.Parameter(torch.ones(head_dim))

    def forward(self, attn1, attn2, gate):
        # (B, H, T, D) each, gate (B, T, H * D)
        b, h, t, d = attn1.shape
        lambda_1 = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1, dim=-1).float())
        lambda_2 = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2, dim=-1).float())
        lambda_full = lambda_1 - lambda_2 + self.lambda_init
        x = attn1.float() - lambda_full * attn2.float()
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight
        x = (x * (1 - self.lambda_init)).to(attn1.dtype)
        x = x.transpose(1, 2).reshape(b, t, h * d)
        return x * torch.sigmoid(gate)


def get_init_inputs():
    return [96, 6]


def get_inputs():
    b, h, t, d = 4, 12, 4096, 96
    return [
        torch.randn(b, h, t, d, dtype=torch.bfloat16),
        torch.randn(b, h, t, d, dtype=torch.bfloat16),
        torch.randn(b, t, h * d, dtype=torch.bfloat16),
    ]
