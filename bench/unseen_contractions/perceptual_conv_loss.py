"""Frozen convolutions compare two images level by level."""

import torch
from torch import nn
import torch.nn.functional as F


class Perceptual(nn.Module):
    def __init__(self, channels=(3, 4, 6)):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in zip(channels, channels[1:]))
        self.lins = nn.ParameterList([nn.Parameter(torch.rand(1, b, 1, 1)) for b in channels[1:]])
        for p in self.blocks.parameters():
            p.requires_grad_(False)

    def forward(self, x, y):
        loss = 0
        for block, lin in zip(self.blocks, self.lins):
            x, y = F.relu(block(x)), F.relu(block(y))
            fx, fy = (t / (t.pow(2).sum(1, keepdim=True) + 1e-10).sqrt() for t in (x, y))
            loss = loss + ((fx - fy) ** 2 * lin).sum(1).mean()
        return loss


def get_inputs():
    return [torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8)]
