"""A subclass of nn.GroupNorm without a constructor."""

import torch
import torch.nn as nn


class FP32GroupNorm(nn.GroupNorm):
    def forward(self, x):
        return nn.functional.group_norm(x.float(), self.num_groups, self.weight, self.bias, self.eps).to(x.dtype)


def get_inputs():
    return [torch.randn(2, 8, 4, 4)]


def get_init_inputs():
    return [4, 8]
