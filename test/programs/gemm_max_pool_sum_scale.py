"""A layer, a maximum of neighbours, a sum, a scale."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, in_features, out_features, kernel_size, scale_factor):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features, bias=True)
        self.max_pool = nn.MaxPool1d(kernel_size)
        self.dropout = nn.Dropout(0.0)
        self.scale_factor = scale_factor

    def forward(self, x):
        x = self.dropout(self.matmul(x))
        x = self.max_pool(x.unsqueeze(1)).squeeze(1)
        return torch.sum(x, dim=1) * self.scale_factor


def get_inputs():
    return [torch.randn(7, 6)]


def get_init_inputs():
    return [6, 12, 2, 0.5]
