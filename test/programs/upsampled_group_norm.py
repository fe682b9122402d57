"""A transposed convolution whose sides are 2 * N - 1, a norm over groups of its planes, and a pool."""

import torch
import torch.nn as nn


class UpsampledGroupNorm(nn.Module):
    def __init__(self, inner=2, outer=4):
        super().__init__()
        self.raised = nn.ConvTranspose2d(inner, outer, 3, stride=2, padding=1)
        self.norm = nn.GroupNorm(2, outer)
        self.pool = nn.AvgPool2d(2)

    def forward(self, x):
        x = self.norm(self.raised(x))
        return self.pool(x * torch.sigmoid(x)), x.flatten(2).amax(2)


# program: UpsampledGroupNorm
# open proofs: backward
def get_inputs():
    return [torch.randn(2, 2, 3, 4)]
