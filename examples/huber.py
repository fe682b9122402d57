"""Huber loss for each element."""

import torch


def huber(prediction, target, delta: float = 1.0):
    error = prediction - target
    small = error.abs() <= delta
    return torch.where(small, 0.5 * error**2, delta * (error.abs() - 0.5 * delta))


def get_inputs():
    return [torch.randn(4096), torch.randn(4096)]
