"""A layer, an activation, a division."""

import torch


class Model(torch.nn.Module):
    def __init__(self, in_features, out_features, divisor):
        super().__init__()
        self.linear = torch.nn.Linear(in_features, out_features)
        self.divisor = divisor

    def forward(self, x):
        return torch.relu(self.linear(x)) / self.divisor


def get_inputs():
    return [torch.randn(5, 9)]


def get_init_inputs():
    return [9, 6, 2.0]
