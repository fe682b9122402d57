"""Layers that initialize their parameters anew, as PyTorch's constructors let them."""

# program: Net
# options: --keep-torch linear,matmul

import math

import torch
from torch import nn
from torch.nn import functional as F


class LoRA:
    def __init__(self, r, alpha):
        self.r, self.alpha = r, alpha


class Linear(nn.Linear, LoRA):
    def __init__(self, in_features, out_features, r=0, alpha=1, **kwargs):
        nn.Linear.__init__(self, in_features, out_features, **kwargs)
        LoRA.__init__(self, r, alpha)
        if r > 0:
            self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
            self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
            self.scaling = alpha / r
            self.weight.requires_grad = False
        self.reset_parameters()

    def reset_parameters(self):
        nn.Linear.reset_parameters(self)
        if hasattr(self, "lora_A"):
            nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
            nn.init.zeros_(self.lora_B)

    def forward(self, x):
        result = F.linear(x, self.weight, bias=self.bias)
        if self.r > 0:
            result += (x @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)) * self.scaling
        return result


class Norm(nn.LayerNorm):
    def reset_parameters(self):
        super().reset_parameters()
        self.gain = 1.5

    def forward(self, x):
        return super().forward(x) * self.gain


class Net(nn.Module):
    def __init__(self, width, r=2):
        super().__init__()
        self.norm = Norm(width)
        self.up = Linear(width, 12, r=r, alpha=16)
        self.down = Linear(12, width, bias=False)
        for layer in (self.norm, self.down):
            layer.reset_parameters()

    def forward(self, x):
        return x + self.down(F.silu(self.up(self.norm(x))))


def get_init_inputs():
    return [8]


def get_inputs():
    return [torch.randn(3, 5, 8)]
