"""A layer whose output is squashed, scaled and added to what it was, with a copy kept from the gradient."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, scaling_factor):
        super().__init__()
        self.gemm = nn.Linear(input_size, hidden_size)
        self.scaling_factor = scaling_factor

    def forward(self, x):
        x = self.gemm(x)
        original_x = x
        frozen = x.clone().detach()
        x = torch.sigmoid(x)
        x = x * self.scaling_factor
        x = x + original_x
        return torch.minimum(x, frozen.abs() + 0.5) - self.scaling_factor


def get_inputs():
    return [torch.randn(6, 10)]


def get_init_inputs():
    return [10, 7, 2.0]
