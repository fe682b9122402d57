"""Mu-law companding and decibels."""

# program: mu_law

import torch


def mu_law_encoding(x, quantization_channels: int = 256):
    if not x.is_floating_point():
        x = x.to(torch.float)
    mu = torch.tensor(quantization_channels - 1.0, dtype=x.dtype)
    x_mu = torch.sign(x) * torch.log1p(mu * torch.abs(x)) / torch.log1p(mu)
    return ((x_mu + 1) / 2 * mu + 0.5).to(torch.int64)


def mu_law_roundtrip(x, quantization_channels: int = 256):
    x_mu = mu_law_encoding(x, quantization_channels)
    mu = torch.tensor(quantization_channels - 1.0)
    y = x_mu / mu * 2 - 1.0
    return torch.sign(y) * (torch.exp(torch.abs(y) * torch.log1p(mu)) - 1.0) / mu


def amplitude_to_DB(x, multiplier: float = 10.0, amin: float = 1e-10, db_multiplier: float = 0.0, top_db: float = 80.0):
    x_db = multiplier * torch.log10(torch.clamp(x, min=amin))
    x_db -= multiplier * db_multiplier
    shape = x_db.size()
    packed_channels = shape[-3] if x_db.dim() > 2 else 1
    x_db = x_db.reshape(-1, packed_channels, shape[-2], shape[-1])
    x_db = torch.max(x_db, (x_db.amax(dim=(-3, -2, -1)) - top_db).view(-1, 1, 1, 1))
    return x_db.reshape(shape)


def mu_law(wave, spec):
    return mu_law_roundtrip(wave), amplitude_to_DB(spec)


def get_inputs():
    return [torch.rand(2, 64) * 2 - 1, torch.rand(2, 1, 5, 6)]
