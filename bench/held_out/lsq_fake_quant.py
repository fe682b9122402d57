"""Fake quantisation with a learned step for each channel (LSQ), straight through the rounding."""
# program: LsqQuan

import torch
from torch import nn


def grad_scale(x, scale):
    y_grad = x * scale
    return (x - y_grad).detach() + y_grad


def round_pass(x):
    return (x.round() - x).detach() + x


class LsqQuan(nn.Module):
    def __init__(self, channels, bit=4):
        super().__init__()
        self.thd_neg = -(2 ** (bit - 1))
        self.thd_pos = 2 ** (bit - 1) - 1
        self.s = nn.Parameter(torch.full((1, channels, 1, 1), 0.37))

    def forward(self, x):
        s_grad_scale = 1.0 / ((self.thd_pos * x.numel()) ** 0.5)
        s_scale = grad_scale(self.s, s_grad_scale)
        x = x / s_scale
        x = torch.clamp(x, self.thd_neg, self.thd_pos)
        x = round_pass(x)
        return x * s_scale


def get_inputs():
    return [torch.randn(120, 256, 60, 60)]


def get_init_inputs():
    return [256]
