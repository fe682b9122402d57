"""Greedy suppression of boxes: whether one is kept decides about those after it."""

# no gradient: no result has a gradient
import torch


def greedy_suppression(boxes, scores, threshold: float = 0.3):
    order = scores.argsort(descending=True)
    boxes = boxes[order]
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    least = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    most = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = (most - least).clamp(min=0).prod(-1)
    over = common / (area[:, None] + area[None, :] - common) > threshold
    keep = torch.ones(boxes.shape[0], dtype=torch.bool)
    for i in range(boxes.shape[0]):
        keep = keep & ~(over[i] & keep[i] & (torch.arange(boxes.shape[0]) > i))
    return order, keep


def get_inputs():
    corners = torch.rand(12, 2)
    return [torch.cat([corners, corners + 0.3 + torch.rand(12, 2)], 1), torch.rand(12)]
