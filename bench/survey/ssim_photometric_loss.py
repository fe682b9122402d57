"""Self-supervised depth photometric loss: 3x3 SSIM and L1 for two warped frames, minimum over frames."""

import torch
import torch.nn as nn


class SsimPhotometricLoss(nn.Module):
    def __init__(self, alpha=0.85):
        super().__init__()
        self.alpha = alpha
        self.pool = nn.AvgPool2d(3, 1)
        self.refl = nn.ReflectionPad2d(1)
        self.C1 = 0.01**2
        self.C2 = 0.03**2

    def ssim(self, x, y):
        x = self.refl(x)
        y = self.refl(y)
        mu_x = self.pool(x)
        mu_y = self.pool(y)
        sigma_x = self.pool(x**2) - mu_x**2
        sigma_y = self.pool(y**2) - mu_y**2
        sigma_xy = self.pool(x * y) - mu_x * mu_y
        n = (2 * mu_x * mu_y + self.C1) * (2 * sigma_xy + self.C2)
        d = (mu_x**2 + mu_y**2 + self.C1) * (sigma_x + sigma_y + self.C2)
        return torch.clamp((1 - n / d) / 2, 0, 1)

    def reprojection(self, pred, target):
        l1 = (target - pred).abs().mean(1, True)
        return self.alpha * self.ssim(pred, target).mean(1, True) + (1 - self.alpha) * l1

    def forward(self, warped_prev, warped_next, target):
        losses = torch.cat([self.reprojection(warped_prev, target), self.reprojection(warped_next, target)], 1)
        best, _ = torch.min(losses, dim=1)
        return best.mean()


def get_init_inputs():
    return [0.85]


def get_inputs():
    return [torch.rand(16, 3, 192, 640) for _ in range(3)]
