"""The convolution module of a conformer: pointwise, gate, depthwise, batch norm, pointwise."""

import torch
from torch import nn
from torch.nn import functional as F


class ConvolutionModule(nn.Module):
    def __init__(self, channels=4, kernel_size=5, causal=False):
        super().__init__()
        assert causal or (kernel_size - 1) % 2 == 0
        self.layer_norm = nn.LayerNorm(channels)
        self.pointwise_conv1 = nn.Conv1d(channels, 2 * channels, 1, bias=False)
        self.lorder = kernel_size - 1 if causal else 0
        padding = 0 if causal else (kernel_size - 1) // 2
        self.depthwise_conv = nn.Conv1d(channels, channels, kernel_size, padding=padding, groups=channels, bias=False)
        self.norm = nn.BatchNorm1d(channels)
        self.pointwise_conv2 = nn.Conv1d(channels, channels, 1)

    def forward(self, x, mask_pad):
        x = self.layer_norm(x).transpose(1, 2)
        x = x.masked_fill(~mask_pad, 0.0)
        if self.lorder > 0:
            x = F.pad(x, (self.lorder, 0), "constant", 0.0)
        x = F.glu(self.pointwise_conv1(x), dim=1)
        x = self.pointwise_conv2(F.silu(self.norm(self.depthwise_conv(x))))
        return x.masked_fill(~mask_pad, 0.0).transpose(1, 2)


def get_inputs():
    return [torch.randn(3, 8, 4), (torch.arange(8) < torch.tensor([[[5]], [[8]], [[7]]]))]


def get_init_inputs():
    return [4, 5, True]
