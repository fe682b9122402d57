"""Two-way Chamfer distance between small oriented point clouds, with normal consistency at the nearest neighbours."""

import torch
import torch.nn.functional as F


def chamfer_normals(x, y, x_normals, y_normals):
    # (B, N, 3), (B, M, 3)
    diff = x.unsqueeze(2) - y.unsqueeze(1)
    dist = (diff * diff).sum(dim=-1)
    cham_x, idx_x = dist.min(dim=2)
    cham_y, idx_y = dist.min(dim=1)
    near_y = torch.gather(y_normals, 1, idx_x.unsqueeze(-1).expand(-1, -1, 3))
    near_x = torch.gather(x_normals, 1, idx_y.unsqueeze(-1).expand(-1, -1, 3))
    norm_x = 1 - torch.abs(F.cosine_similarity(x_normals, near_y, dim=2, eps=1e-6))
    norm_y = 1 - torch.abs(F.cosine_similarity(y_normals, near_x, dim=2, eps=1e-6))
    loss = cham_x.mean(1) + cham_y.mean(1)
    loss_normals = norm_x.mean(1) + norm_y.mean(1)
    return loss.mean() + 0.1 * loss_normals.mean()


def get_inputs():
    b, n, m = 4096, 160, 196
    return [torch.rand(b, n, 3), torch.rand(b, m, 3), torch.randn(b, n, 3), torch.randn(b, m, 3)]
