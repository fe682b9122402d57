"""A magnitude spectrum by a convolution with the Fourier basis, in mel bands on a log scale."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class STFT(nn.Module):
    def __init__(self, filter_length=16, hop_length=4, n_mels=5):
        super().__init__()
        self.hop = hop_length
        self.pad = filter_length // 2
        self.cutoff = filter_length // 2 + 1
        k = torch.arange(self.cutoff).float()[:, None]
        n = torch.arange(filter_length).float()[None, :]
        window = 0.5 - 0.5 * torch.cos(2 * math.pi * n / filter_length)
        angle = 2 * math.pi * k * n / filter_length
        basis = torch.cat([torch.cos(angle) * window, -torch.sin(angle) * window], dim=0)
        self.register_buffer("forward_basis", basis[:, None, :])
        self.register_buffer("mel", torch.rand(n_mels, self.cutoff))

    def forward(self, y):
        y = F.pad(y.unsqueeze(1), (self.pad, self.pad), mode="reflect")
        spectrum = F.conv1d(y, self.forward_basis, stride=self.hop)
        real, imaginary = spectrum[:, : self.cutoff], spectrum[:, self.cutoff :]
        magnitude = torch.sqrt(real**2 + imaginary**2 + 1e-9)
        mel = torch.matmul(self.mel, magnitude)
        return torch.log(torch.clamp(mel, min=1e-5))


def get_inputs():
    return [torch.randn(2, 40)]
