"""Hooks that change what a module gets and gives, one of them removed."""

# program: Hooked

import torch
import torch.nn as nn


class Hooked(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.act = nn.ReLU()
        self.norm.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        self.act.register_forward_hook(self.shifted(0.5))
        handle = self.act.register_forward_hook(self.shifted(7.0))
        handle.remove()

    def shifted(self, by):
        def hook(module, inputs, output):
            return output + by * inputs[0]

        return hook

    def forward(self, x):
        return self.act(self.norm(x))


def get_inputs():
    return [torch.randn(3, 6)]


def get_init_inputs():
    return []
