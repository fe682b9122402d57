"""Generalised intersection over union of every pair of two sets of boxes (the matching cost of a detector)."""
# surveyed: detr_match_cost
# program: pairwise_giou

import torch


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1, boxes2):
    area1 = box_area(boxes1)
    area2 = box_area(boxes2)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    union = area1[:, None] + area2 - inter
    return inter / union, union


def pairwise_giou(boxes1, boxes2):
    boxes1 = torch.cat([boxes1[:, :2] - boxes1[:, 2:] / 2, boxes1[:, :2] + boxes1[:, 2:] / 2], dim=-1)
    boxes2 = torch.cat([boxes2[:, :2] - boxes2[:, 2:] / 2, boxes2[:, :2] + boxes2[:, 2:] / 2], dim=-1)
    iou, union = box_iou(boxes1, boxes2)
    lt = torch.min(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.max(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    area = wh[:, :, 0] * wh[:, :, 1]
    return iou - (area - union) / area


def get_inputs():
    return [torch.rand(19200, 4) + 0.1, torch.rand(7300, 4) + 0.1]
