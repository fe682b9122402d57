"""Losses of selected elements with weights of classes and of elements, and selected elements as one axis."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.tensor([0.3, 1.0, 0.7]))

    def forward(self, logits, labels, x, t, keep):
        w = self.w
        a = (
            F.cross_entropy(logits[keep], labels[keep], weight=w),
            F.cross_entropy(logits[keep], labels[keep], w, label_smoothing=0.1),
        )
        b = F.nll_loss(logits[keep].log_softmax(-1), labels[keep], weight=w, ignore_index=1)
        c = (
            F.binary_cross_entropy_with_logits(x[keep], t[keep].sigmoid(), pos_weight=w),
            F.mse_loss(x[keep], t[keep], weight=t[keep].abs(), reduction="sum"),
        )
        high = x > 0
        return (
            *a,
            b,
            *c,
            x[high].reshape(-1).sum(),
            x[high].flatten().mean(),
            x[high].view((-1,)).max(),
            torch.flatten(x[high], 0, -1).sum(),
        )


def get_inputs():
    return [
        torch.randn(6, 3),
        torch.tensor([0, 2, 1, 1, 0, 2]),
        torch.randn(6, 3),
        torch.randn(6, 3),
        torch.tensor([True, False, True, True, True, False]),
    ]
