"""Bilinear layers, and a layer that takes the greatest of its pieces."""

import torch
from torch import nn


class Maxout(nn.Module):
    def __init__(self, d_in, d_out, pool_size):
        super().__init__()
        self.d_in, self.d_out, self.pool_size = d_in, d_out, pool_size
        self.lin = nn.Linear(d_in, d_out * pool_size)

    def forward(self, inputs):
        shape = list(inputs.size())
        shape[-1] = self.d_out
        shape.append(self.pool_size)
        max_dim = len(shape) - 1
        out = self.lin(inputs)
        m, i = out.view(*shape).max(max_dim)
        return m


class Scorer(nn.Module):
    def __init__(self, a=5, b=4, out=3):
        super().__init__()
        self.bilinear = nn.Bilinear(a, b, out)
        self.maxout = Maxout(out, 4, 3)
        self.core = nn.Parameter(torch.randn(a, b))

    def forward(self, x, y):
        scores = self.bilinear(x, y)
        direct = (x @ self.core * y).sum(-1, keepdim=True)
        return self.maxout(scores) + direct, nn.functional.bilinear(x, y, self.core[None])


# program: Scorer
def get_inputs():
    return [torch.randn(6, 5), torch.randn(6, 4)]
