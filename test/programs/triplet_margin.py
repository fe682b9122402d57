"""The triplet margin loss."""

import torch
import torch.nn as nn


class TripletMargin(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.loss_fn = torch.nn.TripletMarginLoss(margin=margin)

    def forward(self, anchor, positive, negative):
        return self.loss_fn(anchor, positive, negative)


def get_inputs():
    return [torch.rand(16, 32), torch.rand(16, 32), torch.rand(16, 32)]


def get_init_inputs():
    return [1.0]
