"""Photo enhancement loss: sRGB to CIE Lab for both images, Charbonnier penalty per channel, chroma weighted."""

import torch
import torch.nn as nn


class LabCharbonnierLoss(nn.Module):
    def __init__(self, eps=1e-3, chroma_weight=0.5):
        super().__init__()
        self.eps = eps
        self.chroma_weight = chroma_weight

    def rgb_to_lab(self, rgb):
        rgb = rgb.clamp(0.0, 1.0)
        lin = torch.where(rgb > 0.04045, torch.pow((rgb + 0.055) / 1.055, 2.4), rgb / 12.92)
        r, g, b = lin[:, 0], lin[:, 1], lin[:, 2]
        x = (0.412453 * r + 0.357580 * g + 0.180423 * b) / 0.95047
        y = 0.212671 * r + 0.715160 * g + 0.072169 * b
        z = (0.019334 * r + 0.119193 * g + 0.950227 * b) / 1.08883
        xyz = torch.stack([x, y, z], dim=1)
        power = torch.pow(torch.clamp(xyz, min=0.008856), 1.0 / 3.0)
        scale = 7.787 * xyz + 4.0 / 29.0
        f = torch.where(xyz > 0.008856, power, scale)
        fx, fy, fz = f[:, 0], f[:, 1], f[:, 2]
        return torch.stack([116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz)], dim=1)

    def forward(self, pred, target):
        diff = (self.rgb_to_lab(pred) - self.rgb_to_lab(target)) / 100.0
        loss = torch.sqrt(diff * diff + self.eps * self.eps)
        return loss[:, 0].mean() + self.chroma_weight * loss[:, 1:].mean()


def get_init_inputs():
    return [1e-3, 0.5]


def get_inputs():
    return [torch.rand(16, 3, 480, 640), torch.rand(16, 3, 480, 640)]
