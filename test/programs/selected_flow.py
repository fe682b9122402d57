"""End-point errors of the valid pixels, and a loss of their vectors."""

import torch
import torch.nn.functional as F


def f(pred, target, valid):
    err = (pred - target).norm(dim=-1)
    epe = err[valid].mean()
    px = (err[valid] > 3).float().mean()
    return epe, px, F.smooth_l1_loss(pred[valid], target[valid], reduction="mean", beta=0.5), pred[valid].sum()


def get_inputs():
    return [torch.randn(2, 4, 5, 2), torch.randn(2, 4, 5, 2), torch.rand(2, 4, 5) > 0.3]
