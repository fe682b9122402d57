"""Patch merging of a Swin transformer up to its reduction: four strided corners joined and normalised."""
# surveyed: patch_merging_norm

import torch
from torch import nn


class PatchMerging(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(4 * dim)

    def forward(self, x):
        B, H, W, C = x.shape
        x0 = x[:, 0::2, 0::2, :]
        x1 = x[:, 1::2, 0::2, :]
        x2 = x[:, 0::2, 1::2, :]
        x3 = x[:, 1::2, 1::2, :]
        x = torch.cat([x0, x1, x2, x3], -1)
        x = x.view(B, -1, 4 * C)
        return self.norm(x)


def get_inputs():
    return [torch.randn(100, 112, 112, 128)]


def get_init_inputs():
    return [128]
