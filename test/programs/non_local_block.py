"""Every place of an image attends to the pooled others (non-local network), behind a norm that starts at zero."""

import torch
from torch import nn


class NonLocalBlock2D(nn.Module):
    def __init__(self, in_channels=4, inter_channels=None, sub_sample=True, mode="embedded"):
        super().__init__()
        self.inter_channels = inter_channels or max(in_channels // 2, 1)
        self.mode = mode
        self.g = nn.Conv2d(in_channels, self.inter_channels, kernel_size=1)
        self.theta = nn.Conv2d(in_channels, self.inter_channels, kernel_size=1)
        self.phi = nn.Conv2d(in_channels, self.inter_channels, kernel_size=1)
        self.W_z = nn.Sequential(
            nn.Conv2d(self.inter_channels, in_channels, kernel_size=1), nn.BatchNorm2d(in_channels)
        )
        nn.init.constant_(self.W_z[1].weight, 0)
        nn.init.constant_(self.W_z[1].bias, 0)
        if sub_sample:
            self.g = nn.Sequential(self.g, nn.MaxPool2d(2))
            self.phi = nn.Sequential(self.phi, nn.MaxPool2d(2))

    def forward(self, x):
        batch_size = x.size(0)
        g_x = self.g(x).view(batch_size, self.inter_channels, -1)
        g_x = g_x.permute(0, 2, 1)
        theta_x = self.theta(x).view(batch_size, self.inter_channels, -1).permute(0, 2, 1)
        phi_x = self.phi(x).view(batch_size, self.inter_channels, -1)
        f = torch.matmul(theta_x, phi_x)
        if self.mode == "embedded":
            f_div_C = f.softmax(dim=-1)
        else:
            f_div_C = f / f.size(-1)
        y = torch.matmul(f_div_C, g_x)
        y = y.permute(0, 2, 1).contiguous()
        y = y.view(batch_size, self.inter_channels, *x.size()[2:])
        return self.W_z(y) + x


def get_inputs():
    return [torch.randn(2, 4, 4, 4)]
