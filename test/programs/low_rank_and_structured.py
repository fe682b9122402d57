"""Butterflies, Kronecker and Monarch products, and a Toeplitz matrix, as structured layers write them."""

import torch
from torch import nn


class StructuredLayer(nn.Module):
    def __init__(self, n=12, blocks=3):
        super().__init__()
        self.blocks = blocks
        m = n // blocks
        self.left = nn.Parameter(torch.randn(blocks, m, m) / m)
        self.right = nn.Parameter(torch.randn(m, blocks, blocks) / blocks)
        self.a, self.b = nn.Parameter(torch.randn(blocks, blocks)), nn.Parameter(torch.randn(m, m))
        self.taps = nn.Parameter(torch.randn(2 * n - 1) / n)

    def forward(self, x):
        batch, n = x.shape
        m = n // self.blocks
        monarch = torch.einsum("bkm,kmj->bkj", x.view(batch, self.blocks, m), self.left)
        monarch = torch.einsum("bkj,jki->bij", monarch, self.right).reshape(batch, n)
        kronecker = (self.a @ x.view(batch, self.blocks, m) @ self.b.T).reshape(batch, n)
        i = torch.arange(n)
        toeplitz = self.taps[i[:, None] - i[None, :] + n - 1]
        return monarch, kronecker, x @ toeplitz.T


def get_inputs():
    return [torch.randn(4, 12)]
