"""Global response normalisation of ConvNeXt V2, channels last, in float16."""
# surveyed: grn_channels_last

import torch
from torch import nn


class GRN(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.gamma = nn.Parameter(torch.zeros(1, 1, 1, dim, dtype=torch.float16))
        self.beta = nn.Parameter(torch.zeros(1, 1, 1, dim, dtype=torch.float16))

    def forward(self, x):
        gx = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
        nx = gx / (gx.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


def get_inputs():
    return [torch.randn(160, 56, 56, 384, dtype=torch.float16)]


def get_init_inputs():
    return [384]
