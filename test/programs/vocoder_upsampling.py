"""Transposed convolutions with residual stacks of several kernels, averaged (HiFi-GAN)."""

import torch
import torch.nn as nn
import torch.nn.functional as F

LRELU_SLOPE = 0.1


def get_padding(kernel_size, dilation=1):
    return int((kernel_size * dilation - dilation) / 2)


class ResBlock(nn.Module):
    def __init__(self, channels, kernel_size=3, dilation=(1, 3)):
        super().__init__()
        self.convs = nn.ModuleList(
            [
                nn.Conv1d(channels, channels, kernel_size, 1, dilation=d, padding=get_padding(kernel_size, d))
                for d in dilation
            ]
        )

    def forward(self, x):
        for c in self.convs:
            xt = F.leaky_relu(x, LRELU_SLOPE)
            xt = c(xt)
            x = xt + x
        return x


class Generator(nn.Module):
    def __init__(self, mels=4, initial=8, rates=(2, 3), kernels=(4, 5), resblock_kernels=(3, 5)):
        super().__init__()
        self.num_kernels = len(resblock_kernels)
        self.num_upsamples = len(rates)
        self.conv_pre = nn.Conv1d(mels, initial, 7, 1, padding=3)
        self.ups = nn.ModuleList()
        for i, (u, k) in enumerate(zip(rates, kernels)):
            self.ups.append(
                nn.ConvTranspose1d(initial // (2**i), initial // (2 ** (i + 1)), k, u, padding=(k - u) // 2)
            )
        self.resblocks = nn.ModuleList()
        for i in range(len(self.ups)):
            ch = initial // (2 ** (i + 1))
            for k in resblock_kernels:
                self.resblocks.append(ResBlock(ch, k))
        self.conv_post = nn.Conv1d(ch, 1, 7, 1, padding=3)

    def forward(self, x):
        x = self.conv_pre(x)
        for i in range(self.num_upsamples):
            x = F.leaky_relu(x, LRELU_SLOPE)
            x = self.ups[i](x)
            xs = None
            for j in range(self.num_kernels):
                if xs is None:
                    xs = self.resblocks[i * self.num_kernels + j](x)
                else:
                    xs += self.resblocks[i * self.num_kernels + j](x)
            x = xs / self.num_kernels
        x = F.leaky_relu(x)
        x = self.conv_post(x)
        return torch.tanh(x)


# program: Generator
def get_inputs():
    return [torch.randn(1, 4, 5)]
