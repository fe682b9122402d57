import torch
import torch.nn.functional as F


def resized(x, sf):
    return F.interpolate(x, scale_factor=sf)


def get_inputs():
    return [torch.randn(2, 3, 5, 6), (0.6, 1.3)]
