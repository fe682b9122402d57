"""Layers within a region of autocast, and norms that leave it."""

import torch
from torch import nn


class Autocasted(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.conv = nn.Conv1d(2 * dim, dim, 3, padding=1)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        with torch.autocast(device_type=x.device.type, dtype=torch.bfloat16):
            h = torch.relu(self.fc1(x))
            h = self.conv(h.transpose(1, 2)).transpose(1, 2)
            scores = torch.einsum("btc,bsc->bts", h, h)
        with torch.autocast(device_type=x.device.type, enabled=False):
            h = self.norm(h.float() + x)
        return h, scores


def get_inputs():
    return [torch.randn(2, 5, 8)]
