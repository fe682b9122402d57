"""Pools whose window is all of the image, by its size: PointNet's and CBAM's."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GlobalMaxPools(nn.Module):
    def forward(self, points, image):
        of_points = nn.MaxPool1d(points.size(-1))(points).view(points.size(0), -1)
        of_image, place = F.max_pool2d(image, image.shape[2:], stride=image.shape[2:], return_indices=True)
        return of_points, of_image.flatten(1), place.flatten(1)


def get_inputs():
    return [torch.randn(3, 5, 40), torch.randn(3, 4, 7, 6)]
