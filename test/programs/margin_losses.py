"""Multi-margin and multi-label losses."""

import torch
import torch.nn.functional as F


def margin_losses(x, y):
    return F.multi_margin_loss(x, y), F.multi_margin_loss(x, y, p=2, margin=0.5, reduction="sum")


def get_inputs():
    return [torch.randn(6, 9), torch.randint(0, 9, (6,))]
