"""A loss of boxes that transposes one argument where the rows differ: that case raises, and the pieces fix the axis."""

import torch


def _box_cxcywh(b):
    cx, cy, w, h = torch.split(b, 1, dim=-1)
    return torch.cat((cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2), dim=-1)


class IoULoss(torch.nn.Module):
    """SIoU as in YOLOv6-like repositories."""

    def __init__(self, box_format="xywh", iou_type="siou", reduction="none", eps=1e-7):
        super().__init__()
        self.box_format = box_format
        self.iou_type = iou_type.lower()
        self.reduction = reduction
        self.eps = eps

    def forward(self, box1, box2):
        if box1.shape[0] != box2.shape[0]:
            box2 = box2.T
        if self.box_format == "xywh":
            b1, b2 = _box_cxcywh(box1), _box_cxcywh(box2)
        b1_x1, b1_y1, b1_x2, b1_y2 = b1.chunk(4, -1)
        b2_x1, b2_y1, b2_x2, b2_y2 = b2.chunk(4, -1)
        inter = (torch.min(b1_x2, b2_x2) - torch.max(b1_x1, b2_x1)).clamp(0) * (
            torch.min(b1_y2, b2_y2) - torch.max(b1_y1, b2_y1)
        ).clamp(0)
        w1, h1 = b1_x2 - b1_x1, b1_y2 - b1_y1 + self.eps
        w2, h2 = b2_x2 - b2_x1, b2_y2 - b2_y1 + self.eps
        union = w1 * h1 + w2 * h2 - inter + self.eps
        iou = inter / union
        cw = torch.max(b1_x2, b2_x2) - torch.min(b1_x1, b2_x1)
        ch = torch.max(b1_y2, b2_y2) - torch.min(b1_y1, b2_y1)
        s_cw = (b2_x1 + b2_x2 - b1_x1 - b1_x2) * 0.5 + self.eps
        s_ch = (b2_y1 + b2_y2 - b1_y1 - b1_y2) * 0.5 + self.eps
        sigma = torch.pow(s_cw**2 + s_ch**2, 0.5)
        sin_alpha_1 = torch.abs(s_cw) / sigma
        sin_alpha_2 = torch.abs(s_ch) / sigma
        threshold = pow(2, 0.5) / 2
        sin_alpha = torch.where(sin_alpha_1 > threshold, sin_alpha_2, sin_alpha_1)
        angle_cost = torch.cos(torch.arcsin(sin_alpha) * 2 - torch.pi / 2)
        rho_x = (s_cw / cw) ** 2
        rho_y = (s_ch / ch) ** 2
        gamma = angle_cost - 2
        distance_cost = 2 - torch.exp(gamma * rho_x) - torch.exp(gamma * rho_y)
        omiga_w = torch.abs(w1 - w2) / torch.max(w1, w2)
        omiga_h = torch.abs(h1 - h2) / torch.max(h1, h2)
        shape_cost = torch.pow(1 - torch.exp(-1 * omiga_w), 4) + torch.pow(1 - torch.exp(-1 * omiga_h), 4)
        iou = iou - 0.5 * (distance_cost + shape_cost)
        loss = 1.0 - iou
        if self.reduction == "sum":
            loss = loss.sum()
        elif self.reduction == "mean":
            loss = loss.mean()
        return loss


def get_inputs():
    return [torch.rand(5, 4) + 0.2, torch.rand(5, 4) + 0.2]


# program: IoULoss
