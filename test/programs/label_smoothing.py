"""Cross entropy with label smoothing as a module."""

import torch
import torch.nn as nn


class LabelSmoothing(nn.Module):
    def __init__(self):
        super().__init__()
        self.crit = nn.CrossEntropyLoss(label_smoothing=0.1)

    def forward(self, x, y):
        return self.crit(x, y)


def get_inputs():
    return [torch.randn(8, 10), torch.randint(0, 10, (8,))]


def get_init_inputs():
    return []
