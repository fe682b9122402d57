"""A layer whose weights are stored as int8 with a scale for each row, in halves."""

import torch
from torch import nn
import torch.nn.functional as F


class WeightOnlyInt8Linear(nn.Module):
    def __init__(self, in_features, out_features, dtype=torch.bfloat16):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.register_buffer("weight", torch.randint(-127, 128, (out_features, in_features), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(out_features, dtype=dtype) * 0.01)

    def forward(self, input):
        return F.linear(input, self.weight.to(dtype=input.dtype)) * self.scales


def get_inputs():
    return [torch.randn(3, 4, 16, dtype=torch.bfloat16)]


def get_init_inputs():
    return [16, 10]
