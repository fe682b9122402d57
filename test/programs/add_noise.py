"""Noise added by the schedule of a diffusion model."""

import torch


def add_noise(original_samples, noise, timesteps, alphas_cumprod):
    alphas_cumprod = alphas_cumprod.to(dtype=original_samples.dtype)
    sqrt_alpha_prod = alphas_cumprod[timesteps] ** 0.5
    sqrt_alpha_prod = sqrt_alpha_prod.flatten()
    while len(sqrt_alpha_prod.shape) < len(original_samples.shape):
        sqrt_alpha_prod = sqrt_alpha_prod.unsqueeze(-1)
    sqrt_one_minus = (1 - alphas_cumprod[timesteps]) ** 0.5
    sqrt_one_minus = sqrt_one_minus.flatten()
    while len(sqrt_one_minus.shape) < len(original_samples.shape):
        sqrt_one_minus = sqrt_one_minus.unsqueeze(-1)
    return sqrt_alpha_prod * original_samples + sqrt_one_minus * noise


def get_inputs():
    return [torch.randn(4, 3, 5, 5), torch.randn(4, 3, 5, 5), torch.randint(0, 10, (4,)), torch.rand(10)]
