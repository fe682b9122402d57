"""Batch norm over images."""

import torch
import torch.nn as nn


class BatchNorm(nn.Module):
    def __init__(self, num_features: int):
        super(BatchNorm, self).__init__()
        self.bn = nn.BatchNorm2d(num_features=num_features)
        self.eval()

    def forward(self, x):
        return self.bn(x)


features = 8


def get_inputs():
    return [torch.rand(4, features, 6, 5)]


def get_init_inputs():
    return [features]
