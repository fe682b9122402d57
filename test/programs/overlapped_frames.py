"""Frames of a spectrum back to a line: a transposed convolution with a fixed basis, over the sum of squared windows."""

# open proofs: backward

import math

import torch
import torch.nn.functional as F


def inverse_stft(real, imaginary, hop: int = 4):
    cutoff = real.shape[1]
    length = 2 * (cutoff - 1)
    n = torch.arange(length, device=real.device, dtype=real.dtype)
    k = torch.arange(cutoff, device=real.device, dtype=real.dtype)
    window = 0.5 - 0.5 * torch.cos(2 * math.pi * n / length)
    angle = 2 * math.pi * k[:, None] * n / length
    scale = torch.full((cutoff, 1), 2.0 / length)
    scale[0] = 1.0 / length
    scale[-1] = 1.0 / length
    basis = torch.cat([torch.cos(angle) * scale * window, -torch.sin(angle) * scale * window])
    frames = torch.cat([real, imaginary], dim=1)
    signal = F.conv_transpose1d(frames, basis.unsqueeze(1), stride=hop)
    ones = torch.ones(1, 1, real.shape[-1], device=real.device, dtype=real.dtype)
    envelope = F.conv_transpose1d(ones, (window**2).view(1, 1, -1), stride=hop)
    return (signal / envelope.clamp_min(1e-3)).squeeze(1)


def get_inputs():
    return [torch.randn(2, 9, 5), torch.randn(2, 9, 5)]
