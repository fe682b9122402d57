"""Discounted returns of an episode."""

import torch


def discounted_returns(rewards, gamma: float = 0.9):
    w = gamma ** torch.arange(rewards.shape[-1], dtype=rewards.dtype)
    return (rewards * w).flip(-1).cumsum(-1).flip(-1) / w


def get_inputs():
    return [torch.randn(3, 20)]
