"""A list that grows by what reads its last item, as YOLOv8's C2f has it."""

import torch
from torch import nn


class C2f(nn.Module):
    def __init__(self, channels=4, count=2):
        super().__init__()
        self.m = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1) for _ in range(count))
        self.last = nn.Conv2d((2 + count) * channels, channels, 1)

    def forward(self, x):
        y = list(x.chunk(2, 1))
        y.extend(m(y[-1]) for m in self.m)
        sums = {0: x.mean()}
        sums.update((k, sums[k - 1] * 2) for k in (1, 2))
        scales = [1.0]
        scales += (scales[-1] * 0.5 for _ in range(2))
        return self.last(torch.cat(y, 1)) * scales[-1] + sums[2]


def get_inputs():
    return [torch.randn(2, 8, 5, 6)]
