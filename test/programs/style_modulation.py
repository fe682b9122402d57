"""A convolution whose weights a style scales and demodulates for each sample (StyleGAN2), with noise and blur."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class EqualLinear(nn.Module):
    def __init__(self, in_dim, out_dim, bias_init=0.0, lr_mul=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_dim, in_dim).div_(lr_mul))
        self.bias = nn.Parameter(torch.zeros(out_dim).fill_(bias_init))
        self.scale = (1 / math.sqrt(in_dim)) * lr_mul
        self.lr_mul = lr_mul

    def forward(self, input):
        return F.linear(input, self.weight * self.scale, bias=self.bias * self.lr_mul)


class ModulatedConv2d(nn.Module):
    def __init__(self, in_channel=3, out_channel=4, kernel_size=3, style_dim=5, demodulate=True, upsample=True):
        super().__init__()
        self.eps = 1e-8
        self.in_channel, self.out_channel, self.kernel_size = in_channel, out_channel, kernel_size
        fan_in = in_channel * kernel_size**2
        self.scale = 1 / math.sqrt(fan_in)
        self.padding = kernel_size // 2
        self.weight = nn.Parameter(torch.randn(1, out_channel, in_channel, kernel_size, kernel_size))
        self.modulation = EqualLinear(style_dim, in_channel, bias_init=1)
        self.demodulate, self.upsample = demodulate, upsample
        self.noise_weight = nn.Parameter(torch.full((1,), 0.1))

    def forward(self, input, style, noise):
        batch, in_channel, height, width = input.shape
        style = self.modulation(style).view(batch, 1, in_channel, 1, 1)
        weight = self.scale * self.weight * style
        if self.demodulate:
            demod = torch.rsqrt(weight.pow(2).sum([2, 3, 4]) + 1e-8)
            weight = weight * demod.view(batch, self.out_channel, 1, 1, 1)
        if self.upsample:
            input = input.view(1, batch * in_channel, height, width)
            weight = weight.transpose(1, 2).reshape(
                batch * in_channel, self.out_channel, self.kernel_size, self.kernel_size
            )
            out = F.conv_transpose2d(input, weight, padding=0, stride=2, groups=batch)
        else:
            weight = weight.view(batch * self.out_channel, in_channel, self.kernel_size, self.kernel_size)
            out = F.conv2d(input.view(1, -1, height, width), weight, padding=self.padding, groups=batch)
        _, _, height, width = out.shape
        out = out.view(batch, self.out_channel, height, width)
        return F.leaky_relu(out + self.noise_weight * noise, 0.2) * math.sqrt(2)


# program: ModulatedConv2d
def get_inputs():
    return [torch.randn(2, 3, 4, 3), torch.randn(2, 5), torch.randn(2, 1, 9, 7)]
