"""Group norm, scale, clamp and pooling."""

import torch
import torch.nn as nn


class NormClampPool(nn.Module):
    def __init__(self, num_features, num_groups, hidden=8, scaling_factor=2.0, min_value=-1.0, max_value=1.0):
        super(NormClampPool, self).__init__()
        self.gn = nn.GroupNorm(num_groups, num_features)
        self.hardtanh = nn.Hardtanh(min_val=min_value, max_val=max_value)
        self.multiply_weight = nn.Parameter(torch.randn((num_features, 1, 1)))
        self.scaling_factor = scaling_factor
        self.maxpool = nn.MaxPool2d(kernel_size=2)

    def forward(self, x):
        original = x
        x = self.gn(x)
        x = x * self.multiply_weight
        x = self.hardtanh(x)
        x = torch.nn.functional.mish(x) + original * self.scaling_factor
        x = self.maxpool(x)
        x = torch.logsumexp(x, dim=1, keepdim=True)
        x = torch.clamp(x, -2, 2)
        return x.mean(dim=[2, 3])


def get_inputs():
    return [torch.randn(2, 8, 6, 6)]


def get_init_inputs():
    return [8, 4]
