"""The hinge loss."""

import torch
import torch.nn as nn


class HingeLoss(nn.Module):
    def forward(self, predictions, targets):
        return torch.mean(torch.clamp(1 - predictions * targets, min=0))


def get_inputs():
    return [torch.rand(16, 1), torch.randint(0, 2, (16, 1)).float() * 2 - 1]


def get_init_inputs():
    return []
