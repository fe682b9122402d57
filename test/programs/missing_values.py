"""Statistics of columns of which elements, or all, are missing, and a scale by the greatest element."""

import torch
import torch.nn.functional as F


def missing_values(x, y, w):
    hole = torch.where(w > 0.8, float("nan"), 0.0)
    seen = x + hole
    mean = seen.nanmean(0)
    scale = (x * y).max() - y.min()
    return mean, seen.nansum(-1), x / scale, F.smooth_l1_loss(x, y, beta=0.7), F.huber_loss(y, x)


def get_inputs():
    return [torch.randn(45, 60), torch.randn(45, 60), torch.rand(60)]
