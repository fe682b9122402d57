"""A gate for channels by two layers."""

import torch
from torch import nn


class SE(nn.Module):
    def __init__(self, c=8, r=4):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(c, c // r, bias=False), nn.ReLU(inplace=True), nn.Linear(c // r, c, bias=False), nn.Sigmoid()
        )

    def forward(self, x):
        b, c, _ = x.size()
        y = self.fc(x.mean(2)).view(b, c, 1)
        return x * y.expand_as(x)


def get_inputs():
    return [torch.randn(3, 8, 5)]
