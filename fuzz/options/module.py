import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, slope=0.1, p=0.0, names=("a", "b")):
        super(Block, self).__init__()
        self.norm = nn.LayerNorm(width)
        self.scale = nn.Parameter(torch.ones(width))
        self.slope = slope
        self.names = names

    def forward(self, x, y=None, flag: bool = False):
        h = torch.where(x > 0, x, x * self.slope)
        if y is not None:
            h = h + y
        return self.norm(h) * self.scale if not flag else h.sort(-1).values


def pair(xs, d, n=2, alpha=1.0):
    return xs[0] * alpha + d["a"], xs[1][:n]
