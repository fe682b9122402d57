"""Targets of points: a range and a tensor index together."""

import torch


def compute_locations(h, w, stride, device):
    shifts_x = torch.arange(0, w * stride, step=stride, dtype=torch.float32, device=device)
    shifts_y = torch.arange(0, h * stride, step=stride, dtype=torch.float32, device=device)
    shift_y, shift_x = torch.meshgrid(shifts_y, shifts_x, indexing="ij")
    return torch.stack((shift_x.reshape(-1), shift_y.reshape(-1)), dim=1) + stride // 2


def centerness(reg_targets):
    left_right = reg_targets[:, [0, 2]]
    top_bottom = reg_targets[:, [1, 3]]
    c = (left_right.min(dim=-1)[0] / left_right.max(dim=-1)[0]) * (
        top_bottom.min(dim=-1)[0] / top_bottom.max(dim=-1)[0]
    )
    return torch.sqrt(c.clamp(min=0))


def fcos_targets(feature, boxes, labels, stride: int = 8, num_classes: int = 10):
    h, w = feature.shape[-2:]
    loc = compute_locations(h, w, stride, feature.device)
    xs, ys = loc[:, 0], loc[:, 1]
    l = xs[:, None] - boxes[:, 0][None]
    t = ys[:, None] - boxes[:, 1][None]
    r = boxes[:, 2][None] - xs[:, None]
    b = boxes[:, 3][None] - ys[:, None]
    reg = torch.stack([l, t, r, b], dim=2)
    is_in = reg.min(dim=2)[0] > 0
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    areas = area[None].repeat(len(loc), 1)
    areas[is_in == 0] = 1e8
    min_area, idx = areas.min(dim=1)
    reg_t = reg[range(len(loc)), idx]
    lab = labels[idx]
    lab[min_area == 1e8] = num_classes
    return lab, reg_t, centerness(reg_t)


# program: fcos_targets
# only forward
def get_inputs():
    x = torch.rand(4, 2) * 20
    return [torch.randn(1, 3, 5, 6), torch.cat([x, x + 10 + torch.rand(4, 2) * 20], 1), torch.randint(0, 10, (4,))]
