"""The squared relu."""

import torch


def squared_relu(x):
    return torch.square(torch.relu(x))


def get_inputs():
    return [torch.randn(3, 64)]
