"""A volume at points, between its eight neighbours."""

import torch
import torch.nn.functional as F


def sampled_volume(volume, theta):
    grid = F.affine_grid(theta, (2, 2, 3, 4, 5), align_corners=False)
    return F.grid_sample(volume, grid, align_corners=False)


def get_inputs():
    return [torch.randn(2, 2, 3, 4, 6), torch.randn(2, 3, 4) * 0.5]
