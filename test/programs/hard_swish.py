"""A hard swish by relu6."""

import torch


class HSwish(torch.nn.Module):
    def forward(self, x):
        return x * torch.clamp(x + 3, 0, 6) / 6, torch.clip(x, -1, 1), torch.where(x.abs() < 1, x, x.sign())


def get_inputs():
    return [torch.randn(3, 8, 20)]


def get_init_inputs():
    return []
