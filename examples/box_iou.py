"""Intersection over union of every pair of boxes."""

import torch


def _area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(first, second):
    low = torch.max(first[:, None, :2], second[:, :2])
    high = torch.min(first[:, None, 2:], second[:, 2:])
    inside = (high - low).clamp(min=0).prod(dim=-1)
    return inside / (_area(first)[:, None] + _area(second) - inside)


def get_inputs():
    a, b = torch.rand(30, 4), torch.rand(25, 4)
    a[:, 2:] += a[:, :2]
    b[:, 2:] += b[:, :2]
    return [a, b]
