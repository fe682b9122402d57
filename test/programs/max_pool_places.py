"""Max pooling: who is first among equals has the gradient; with indices, which max_unpool takes."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class SegmentDown(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2, return_indices=True)

    def forward(self, x, line):
        y, places = self.pool(x)
        values, where = F.max_pool1d(line, 3, stride=2, padding=1, return_indices=True)
        whole, at = F.max_pool2d(
            x, (3, 2), (2, 1), padding=(1, 0), dilation=(1, 2), ceil_mode=True, return_indices=True
        )
        return y, places, values, where, whole, at, F.max_pool2d(x.round(), 3, 1, 1), F.max_pool1d(line.relu(), 4)


def get_inputs():
    line = torch.randint(-2, 2, (2, 9)).float()
    line[0, 1] = float("nan")
    line[1] = -torch.inf
    return [torch.randint(-2, 3, (2, 3, 6, 7)).float(), line]
