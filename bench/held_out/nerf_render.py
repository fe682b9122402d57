"""Volume rendering of sampled rays: transmittance by a running product, colour, depth, and opacity."""
# surveyed: nerf_composite
# constants: z_vals, rays_d

import torch
import torch.nn.functional as F


def nerf_render(raw, z_vals, rays_d):
    dists = z_vals[..., 1:] - z_vals[..., :-1]
    last = torch.full_like(dists[..., :1], 1e10)
    dists = torch.cat([dists, last], -1)
    dists = dists * torch.norm(rays_d[..., None, :], dim=-1)
    rgb = torch.sigmoid(raw[..., :3])
    alpha = 1.0 - torch.exp(-F.relu(raw[..., 3]) * dists)
    ones = torch.ones((alpha.shape[0], 1), device=alpha.device)
    weights = alpha * torch.cumprod(torch.cat([ones, 1.0 - alpha + 1e-10], -1), -1)[:, :-1]
    rgb_map = torch.sum(weights[..., None] * rgb, -2)
    depth_map = torch.sum(weights * z_vals, -1)
    disp_map = 1.0 / torch.max(1e-10 * torch.ones_like(depth_map), depth_map / torch.sum(weights, -1))
    acc_map = torch.sum(weights, -1)
    return rgb_map, disp_map, acc_map, weights, depth_map


def get_inputs():
    rays, samples = 310000, 192
    raw = torch.randn(rays, samples, 4)
    z_vals = torch.rand(rays, samples).cumsum(-1)
    return [raw, z_vals, torch.randn(rays, 3)]
