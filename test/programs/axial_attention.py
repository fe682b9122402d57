"""Attention along the rows and along the columns of an image, added."""

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.reshape(b, n, self.heads, d // self.heads).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        w = (q * q.shape[-1] ** -0.5 @ k.mT).softmax(-1)
        return (w @ v).transpose(1, 2).reshape(b, n, d)


class AxialAttention(nn.Module):
    def __init__(self, dim=6, heads=2):
        super().__init__()
        self.rows, self.columns = SelfAttention(dim, heads), SelfAttention(dim, heads)

    def forward(self, x):
        # x: (b, c, h, w)
        b, c, h, w = x.shape
        along_rows = self.rows(x.permute(0, 2, 3, 1).reshape(b * h, w, c)).reshape(b, h, w, c)
        along_columns = self.columns(x.permute(0, 3, 2, 1).reshape(b * w, h, c)).reshape(b, w, h, c)
        return along_rows.permute(0, 3, 1, 2) + along_columns.permute(0, 3, 2, 1)


# program: AxialAttention
def get_inputs():
    return [torch.randn(2, 6, 3, 4)]
