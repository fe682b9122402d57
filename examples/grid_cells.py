"""The cells of a grid that positions lie in, and where in them: `//` and `%` of floats."""

import torch


def grid_cells(position, step):
    return torch.floor_divide(position, step), position % step


def get_inputs():
    return [torch.arange(-640, 640) / 10, torch.full((1280,), 0.1)]
