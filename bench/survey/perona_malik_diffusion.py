"""Anisotropic (Perona-Malik) diffusion of MRI slices, five explicit steps with replicated borders."""

import torch
import torch.nn.functional as F


def perona_malik_diffusion(img, kappa):
    k2 = (kappa * kappa).view(-1, 1, 1, 1)
    gamma = 0.15
    u = img
    for _ in range(5):
        p = F.pad(u, (1, 1, 1, 1), mode="replicate")
        north = p[:, :, :-2, 1:-1] - u
        south = p[:, :, 2:, 1:-1] - u
        west = p[:, :, 1:-1, :-2] - u
        east = p[:, :, 1:-1, 2:] - u
        flux = (
            torch.exp(-(north**2) / k2) * north
            + torch.exp(-(south**2) / k2) * south
            + torch.exp(-(west**2) / k2) * west
            + torch.exp(-(east**2) / k2) * east
        )
        u = u + gamma * flux
    return u


def get_inputs():
    return [torch.rand(48, 1, 448, 448), torch.rand(48) * 0.2 + 0.1]
