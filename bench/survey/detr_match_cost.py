"""DETR matching cost between queries and targets: focal class cost, L1 box cost and generalised IoU."""

# only forward

import torch


def detr_match_cost(pred_logits, pred_boxes, tgt_labels, tgt_boxes):
    alpha, gamma = 0.25, 2.0
    b, q, _ = pred_logits.shape
    t = tgt_labels.shape[1]
    prob = pred_logits.sigmoid()
    neg = (1 - alpha) * (prob**gamma) * (-(1 - prob + 1e-8).log())
    pos = alpha * ((1 - prob) ** gamma) * (-(prob + 1e-8).log())
    index = tgt_labels.unsqueeze(1).expand(b, q, t)
    cost_class = torch.gather(pos - neg, 2, index)

    cost_bbox = (pred_boxes.unsqueeze(2) - tgt_boxes.unsqueeze(1)).abs().sum(-1)

    cx, cy, w, h = pred_boxes.unbind(-1)
    p = torch.stack([cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h], dim=-1)
    cx, cy, w, h = tgt_boxes.unbind(-1)
    g = torch.stack([cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h], dim=-1)
    area_p = (p[..., 2] - p[..., 0]) * (p[..., 3] - p[..., 1])
    area_g = (g[..., 2] - g[..., 0]) * (g[..., 3] - g[..., 1])
    lt = torch.max(p[:, :, None, :2], g[:, None, :, :2])
    rb = torch.min(p[:, :, None, 2:], g[:, None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    union = area_p[:, :, None] + area_g[:, None, :] - inter
    iou = inter / union
    lt = torch.min(p[:, :, None, :2], g[:, None, :, :2])
    rb = torch.max(p[:, :, None, 2:], g[:, None, :, 2:])
    wh = (rb - lt).clamp(min=0)
    hull = wh[..., 0] * wh[..., 1]
    giou = iou - (hull - union) / hull
    return 5.0 * cost_bbox + 2.0 * cost_class - 2.0 * giou


def get_inputs():
    b, q, c, t = 48, 900, 365, 100
    return [
        torch.randn(b, q, c),
        torch.rand(b, q, 4) * 0.5 + 0.1,
        torch.randint(0, c, (b, t)),
        torch.rand(b, t, 4) * 0.5 + 0.1,
    ]
