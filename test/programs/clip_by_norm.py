"""A gradient clipped to a greatest norm."""

import torch


def clip_by_norm(g, max_norm=1.0):
    total_norm = torch.linalg.vector_norm(g)
    clip_coef = max_norm / (total_norm + 1e-6)
    clip_coef_clamped = torch.clamp(clip_coef, max=1.0)
    return g * clip_coef_clamped, total_norm


def get_inputs():
    return [torch.randn(10, 100)]
