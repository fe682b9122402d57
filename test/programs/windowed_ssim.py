"""Structural similarity with a Gaussian window: depthwise convolutions whose groups are the input's channels."""

import math

import torch
import torch.nn.functional as F


def make_window(size, sigma, channels):
    taps = torch.tensor([math.exp(-((x - size // 2) ** 2) / (2 * sigma**2)) for x in range(size)])
    taps = taps / taps.sum()
    return torch.outer(taps, taps).expand(channels, 1, size, size).contiguous()


class StructuralSimilarity(torch.nn.Module):
    def __init__(self, size=5, sigma=1.5):
        super().__init__()
        self.size, self.sigma = size, sigma

    def forward(self, x, y):
        """x, y: [batch, channels, height, width]."""
        channels = x.size(1)
        window = make_window(self.size, self.sigma, channels).to(x)

        def blur(image):
            return F.conv2d(image, window, padding=self.size // 2, groups=channels)

        mean_x, mean_y = blur(x), blur(y)
        variance_x = blur(x * x) - mean_x.pow(2)
        variance_y = blur(y * y) - mean_y.pow(2)
        covariance = blur(x * y) - mean_x * mean_y
        numerator = (2 * mean_x * mean_y + 1e-2) * (2 * covariance + 3e-2)
        return 1 - (numerator / ((mean_x**2 + mean_y**2 + 1e-2) * (variance_x + variance_y + 3e-2))).mean()


Model = StructuralSimilarity


def get_inputs():
    return [torch.rand(2, 3, 8, 9), torch.rand(2, 3, 8, 9)]


def get_init_inputs():
    return []
