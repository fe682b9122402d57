"""Reversible instance norm: what forward() binds on the module is read in the same call, beside sizes that are fixed."""

import torch
from torch import nn


class RevIN(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))

    def forward(self, x, mode):
        if mode == "norm":
            self._get_statistics(x)
            x = (x - self.mean) / self.stdev
            return x * self.weight + self.bias
        x = (x - self.bias) / (self.weight + self.eps * self.eps)
        return x * self.stdev + self.mean

    def _get_statistics(self, x):
        self.mean = torch.mean(x, dim=1, keepdim=True).detach()
        self.stdev = torch.sqrt(torch.var(x, dim=1, keepdim=True, unbiased=False) + self.eps).detach()


class Forecast(nn.Module):
    def __init__(self, length=12, horizon=5, features=4):
        super().__init__()
        self.revin = RevIN(features)
        self.linear = nn.Linear(length, horizon)
        self.attn = None

    def forward(self, x):
        x = self.revin(x, "norm")
        self.attn = torch.softmax(x, 1)
        n = x.size(0)
        if max(n - 3, 0) > 0:
            x = x * 0.5
        x = self.linear((x * self.attn).transpose(1, 2)).transpose(1, 2)
        return self.revin(x, "denorm")


def get_inputs():
    return [torch.randn(2, 12, 4)]
