"""NeRF volume rendering: alphas from densities, exclusive transmittance product, colour, depth, disparity and opacity."""

import torch
import torch.nn.functional as F


def nerf_composite(rgb_raw, sigma, z_vals, rays_d):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    far = torch.full_like(dists[..., :1], 1e10)
    dists = torch.cat([dists, far], dim=-1)
    dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
    rgb = torch.sigmoid(rgb_raw)
    alpha = 1.0 - torch.exp(-F.relu(sigma) * dists)
    ones = torch.ones_like(alpha[..., :1])
    trans = torch.cumprod(torch.cat([ones, 1.0 - alpha + 1e-10], dim=-1), dim=-1)[..., :-1]
    weights = alpha * trans
    rgb_map = torch.sum(weights[..., None] * rgb, dim=-2)
    depth_map = torch.sum(weights * z_vals, dim=-1)
    acc_map = torch.sum(weights, dim=-1)
    disp_map = 1.0 / torch.clamp(depth_map / (acc_map + 1e-10), min=1e-10)
    rgb_map = rgb_map + (1.0 - acc_map[..., None])
    return rgb_map, disp_map, acc_map, weights


def get_inputs():
    rays, samples = 65536, 192
    t = torch.linspace(2.0, 6.0, samples).expand(rays, samples)
    z = t + torch.rand(rays, samples) * (4.0 / samples)
    return [
        torch.randn(rays, samples, 3),
        torch.randn(rays, samples),
        z,
        torch.randn(rays, 3),
    ]
