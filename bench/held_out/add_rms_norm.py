"""Residual add and root-mean-square norm of a decoder layer, in bfloat16 with a float32 mean."""

import torch
from torch import nn


class AddRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size, dtype=torch.bfloat16))
        self.variance_epsilon = eps

    def forward(self, hidden_states, residual):
        residual = residual + hidden_states
        input_dtype = residual.dtype
        hidden = residual.to(torch.float32)
        variance = hidden.pow(2).mean(-1, keepdim=True)
        hidden = hidden * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden.to(input_dtype), residual


def get_inputs():
    shape = (12, 4000, 5120)
    return [torch.randn(shape, dtype=torch.bfloat16), torch.randn(shape, dtype=torch.bfloat16)]


def get_init_inputs():
    return [5120]
