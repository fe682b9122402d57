"""Spectral losses at several resolutions, as vocoders are trained with."""

import torch
import torch.nn.functional as F
from torch import nn


class STFTLoss(nn.Module):
    def __init__(self, fft_size=32, shift_size=8, win_length=24, window="hann_window"):
        super().__init__()
        self.fft_size = fft_size
        self.shift_size = shift_size
        self.win_length = win_length
        self.register_buffer("window", getattr(torch, window)(win_length))

    def stft(self, x):
        x_stft = torch.stft(x, self.fft_size, self.shift_size, self.win_length, self.window, return_complex=True)
        return torch.sqrt(torch.clamp((x_stft.real**2) + (x_stft.imag**2), min=1e-7)).transpose(2, 1)

    def forward(self, x, y):
        x_mag, y_mag = self.stft(x), self.stft(y)
        sc = torch.norm(y_mag - x_mag, p="fro") / torch.norm(y_mag, p="fro")
        return sc, F.l1_loss(torch.log(x_mag), torch.log(y_mag))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.losses = nn.ModuleList([STFTLoss(*a) for a in [(32, 8, 24), (16, 4, 16)]])

    def forward(self, x, y):
        sc = mag = 0.0
        for l in self.losses:
            a, b = l(x, y)
            sc, mag = sc + a, mag + b
        return sc / 2, mag / 2


def get_inputs():
    return [torch.randn(2, 100), torch.randn(2, 100)]
