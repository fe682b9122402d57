"""Arguments and buffers that are returned as they are, written to or not."""

# program: Stepped

import torch
from torch import nn


class Stepped(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x, g, kept):
        self.count += 1
        return x, g * self.count, self.count, (kept["m"], kept)


def get_inputs():
    return [torch.randn(3, 4), torch.randn(3, 4), {"m": torch.randn(5)}]
