"""The strided convolutions with which speech models begin, normalised in several ways."""

import torch
from torch import nn


class FeatureEncoder(nn.Module):
    """conv_layers as in the configurations: (dim, kernel, stride)."""

    def __init__(self, conv_layers, conv_bias=False):
        super().__init__()
        in_d = 1
        self.conv_layers = nn.ModuleList()
        for i, (dim, k, stride) in enumerate(conv_layers):
            norm = nn.GroupNorm(dim, dim, affine=True) if i == 0 else nn.Identity()
            self.conv_layers.append(
                nn.Sequential(nn.Conv1d(in_d, dim, k, stride=stride, bias=conv_bias), norm, nn.GELU())
            )
            in_d = dim
        self.norm = nn.LayerNorm(in_d)

    def forward(self, x):
        # BxT -> BxCxT
        x = x.unsqueeze(1)
        for conv in self.conv_layers:
            x = conv(x)
        return self.norm(x.transpose(1, 2))


def get_inputs():
    return [torch.randn(2, 67)]


def get_init_inputs():
    return [[(4, 5, 3)] + [(4, 3, 2)] * 2]
