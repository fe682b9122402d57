"""Focal loss of a one-stage detector over all anchors and classes."""
# constants: targets

import torch
import torch.nn.functional as F


def sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2.0):
    p = torch.sigmoid(inputs)
    ce_loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce_loss * ((1 - p_t) ** gamma)
    if alpha >= 0:
        alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
        loss = alpha_t * loss
    return loss.sum() / targets.sum().clamp(min=1.0)


def get_inputs():
    batch, anchors, classes = 16, 120087, 91
    inputs = torch.randn(batch, anchors, classes)
    targets = (torch.rand(batch, anchors, classes) < 0.01).float()
    return [inputs, targets]
