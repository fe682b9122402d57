"""Colours along rays: transmittance is a running product of what earlier samples let through."""

import torch


def volume_render(sigma, rgb, distance):
    alpha = 1.0 - torch.exp(-torch.relu(sigma) * distance)
    through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1.0 - alpha + 1e-10], dim=-1), dim=-1)[:, :-1]
    weights = alpha * through
    return torch.sum(weights[..., None] * torch.sigmoid(rgb), dim=-2), weights.sum(dim=-1)


def get_inputs():
    return [torch.randn(16, 40), torch.randn(16, 40, 3), torch.rand(16, 40)]
