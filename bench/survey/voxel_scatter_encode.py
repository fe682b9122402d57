"""Dynamic voxel feature encoder: per-voxel mean of points, offsets to it, max-pooled features given back to points."""

# small: 40000=60 360000=500

import torch
import torch.nn as nn
import torch.nn.functional as F


class VoxelScatterEncode(nn.Module):
    def __init__(self, num_voxels, channels):
        super().__init__()
        self.num_voxels = num_voxels
        self.scale = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))

    def forward(self, points, feats, voxel_ids):
        ones = torch.ones(points.shape[0], 1, dtype=points.dtype, device=points.device)
        count = torch.zeros(self.num_voxels, 1, dtype=points.dtype, device=points.device)
        count = count.index_add(0, voxel_ids, ones).clamp(min=1.0)
        center = torch.zeros(self.num_voxels, 3, dtype=points.dtype, device=points.device)
        center = center.index_add(0, voxel_ids, points[:, :3]) / count
        offset = points[:, :3] - center[voxel_ids]
        dist = torch.sqrt((offset * offset).sum(dim=1, keepdim=True) + 1e-6)
        feats = F.relu(feats * self.scale + self.shift) * torch.exp(-dist)
        index = voxel_ids.unsqueeze(1).expand_as(feats)
        pooled = torch.zeros(self.num_voxels, feats.shape[1], dtype=feats.dtype, device=feats.device)
        pooled = pooled.scatter_reduce(0, index, feats, reduce="amax", include_self=True)
        point_out = torch.cat([points, offset, feats, pooled[voxel_ids]], dim=1)
        return pooled, point_out


def get_init_inputs():
    return [40000, 64]


def get_inputs():
    n = 360000
    return [torch.randn(n, 4), torch.randn(n, 64), torch.randint(0, 40000, (n,))]
