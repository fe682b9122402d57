"""Constants of an image model at module level."""

import torch

ONES = torch.ones(4)
_KERNEL = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)


def normalize_image(img):
    return (img - MEAN) / STD * ONES.sum()


def get_inputs():
    return [torch.rand(2, 3, 8, 8)]
