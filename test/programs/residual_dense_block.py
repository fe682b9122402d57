"""Dense connections within a scaled residual (ESRGAN)."""

import torch
import torch.nn as nn


class ResidualDenseBlock(nn.Module):
    def __init__(self, nf=4, gc=2, bias=True):
        super().__init__()
        self.conv1 = nn.Conv2d(nf, gc, 3, 1, 1, bias=bias)
        self.conv2 = nn.Conv2d(nf + gc, gc, 3, 1, 1, bias=bias)
        self.conv3 = nn.Conv2d(nf + 2 * gc, gc, 3, 1, 1, bias=bias)
        self.conv4 = nn.Conv2d(nf + 3 * gc, nf, 3, 1, 1, bias=bias)
        self.lrelu = nn.LeakyReLU(negative_slope=0.2, inplace=True)
        for layer in [self.conv1, self.conv2, self.conv3, self.conv4]:
            nn.init.kaiming_normal_(layer.weight)
            layer.weight.data *= 0.1

    def forward(self, x):
        x1 = self.lrelu(self.conv1(x))
        x2 = self.lrelu(self.conv2(torch.cat((x, x1), 1)))
        x3 = self.lrelu(self.conv3(torch.cat((x, x1, x2), 1)))
        x4 = self.conv4(torch.cat((x, x1, x2, x3), 1))
        return x4 * 0.2 + x


class RRDB(nn.Module):
    def __init__(self, nf=4):
        super().__init__()
        self.RDB1 = ResidualDenseBlock(nf)
        self.RDB2 = ResidualDenseBlock(nf)

    def forward(self, x):
        out = self.RDB1(x)
        out = self.RDB2(out)
        return out * 0.2 + x


# program: RRDB
def get_inputs():
    return [torch.randn(2, 4, 5, 5)]
