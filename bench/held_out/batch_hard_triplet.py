"""Triplet loss with the hardest positive and negative of a matrix of distances (person re-identification)."""
# surveyed: batch_hard_triplet

import torch
import torch.nn.functional as F


def batch_hard_triplet(dist_mat, labels, margin=0.3):
    is_pos = labels[:, None] == labels[None, :]
    dist_ap = torch.where(is_pos, dist_mat, torch.zeros_like(dist_mat)).max(dim=1).values
    dist_an = torch.where(is_pos, torch.full_like(dist_mat, float("inf")), dist_mat).min(dim=1).values
    y = torch.ones_like(dist_an)
    loss = F.margin_ranking_loss(dist_an, dist_ap, y, margin=margin)
    precision = (dist_an > dist_ap).float().mean()
    return loss, precision


def get_inputs():
    rows = 11000
    return [torch.rand(rows, rows), torch.randint(0, 700, (rows,))]
