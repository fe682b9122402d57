"""The generalised intersection over union of boxes."""

import torch


def generalized_iou(a, b, eps=1e-7):
    x1, y1, x2, y2 = a.unbind(dim=-1)
    x1g, y1g, x2g, y2g = b.unbind(dim=-1)
    xk1, yk1 = torch.max(x1, x1g), torch.max(y1, y1g)
    xk2, yk2 = torch.min(x2, x2g), torch.min(y2, y2g)
    inter = torch.zeros_like(x1)
    mask = (yk2 > yk1) & (xk2 > xk1)
    inter[mask] = (xk2[mask] - xk1[mask]) * (yk2[mask] - yk1[mask])
    union = (x2 - x1) * (y2 - y1) + (x2g - x1g) * (y2g - y1g) - inter
    return 1 - inter / (union + eps)


def get_inputs():
    a = torch.rand(6, 4)
    b = torch.rand(6, 4)
    a[:, 2:] += a[:, :2]
    b[:, 2:] += b[:, :2]
    return [a, b]
