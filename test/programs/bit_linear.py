"""Weights of -1, 0 and 1 and activations of eight bits, with gradients straight through (BitNet)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def activation_quant(x):
    scale = 127.0 / x.abs().max(dim=-1, keepdim=True).values.clamp_(min=1e-5)
    y = (x * scale).round().clamp_(-128, 127) / scale
    return y


def weight_quant(w):
    scale = 1.0 / w.abs().mean().clamp_(min=1e-5)
    u = (w * scale).round().clamp_(-1, 1) / scale
    return u


class BitLinear(nn.Linear):
    def forward(self, x):
        w = self.weight
        x_norm = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        x_quant = x_norm + (activation_quant(x_norm) - x_norm).detach()
        w_quant = w + (weight_quant(w) - w).detach()
        return F.linear(x_quant, w_quant)


class BitMLP(nn.Module):
    def __init__(self, dim=8, hidden=12):
        super().__init__()
        self.up = BitLinear(dim, hidden, bias=False)
        self.down = BitLinear(hidden, dim, bias=False)

    def forward(self, x):
        return self.down(F.relu(self.up(x)) ** 2)


# program: BitMLP
def get_inputs():
    return [torch.randn(3, 8)]
