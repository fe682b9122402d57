"""Gradients of sampled functions."""

import torch


def central_differences(x):
    return torch.gradient(x, dim=0, spacing=2.0)[0]


def get_inputs():
    return [torch.randn(6, 5)]
