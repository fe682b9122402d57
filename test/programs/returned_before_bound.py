"""A buffer that is bound anew, and what it was before."""

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("prev", torch.ones(3))

    def forward(self, x):
        old = self.prev
        y = x - old
        self.prev = old * 0.9 + x.mean(0) * 0.1
        return y, old


def get_inputs():
    return [torch.randn(4, 3)]
