"""Learned step size quantisation by a custom round with a straight-through gradient."""

# program: LsqQuan

import torch
import torch.nn as nn


def grad_scale(x, scale):
    y = x
    y_grad = x * scale
    return (y - y_grad).detach() + y_grad


def round_pass(x):
    y = x.round()
    y_grad = x
    return (y - y_grad).detach() + y_grad


class LsqQuan(nn.Module):
    def __init__(self, bit, all_positive=False, symmetric=False, per_channel=True, channels=6):
        super().__init__()
        if all_positive:
            assert not symmetric, "Positive quantization cannot be symmetric"
            self.thd_neg, self.thd_pos = 0, 2**bit - 1
        elif symmetric:
            self.thd_neg, self.thd_pos = -(2 ** (bit - 1)) + 1, 2 ** (bit - 1) - 1
        else:
            self.thd_neg, self.thd_pos = -(2 ** (bit - 1)), 2 ** (bit - 1) - 1
        self.per_channel = per_channel
        self.s = nn.Parameter(torch.ones(1, channels, 1) * 0.3)

    def forward(self, x):
        if self.per_channel:
            s_grad_scale = 1.0 / ((self.thd_pos * x.numel()) ** 0.5)
        else:
            s_grad_scale = 1.0 / (self.thd_pos**0.5)
        s_scale = grad_scale(self.s, s_grad_scale)
        x = x / s_scale
        x = torch.clamp(x, self.thd_neg, self.thd_pos)
        x = round_pass(x)
        return x * s_scale


def get_inputs():
    return [torch.randn(2, 6, 9)]


def get_init_inputs():
    return [4]
