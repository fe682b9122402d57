"""Dilated causal convolutions with gates and skips (WaveNet)."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalConv1d(nn.Conv1d):
    def __init__(self, in_channels, out_channels, kernel_size, dilation=1):
        super().__init__(in_channels, out_channels, kernel_size, dilation=dilation)
        self.left = (kernel_size - 1) * dilation

    def forward(self, x):
        return super().forward(F.pad(x, (self.left, 0)))


class Layer(nn.Module):
    def __init__(self, residual, skip, dilation):
        super().__init__()
        self.filter = CausalConv1d(residual, residual, 2, dilation)
        self.gate = CausalConv1d(residual, residual, 2, dilation)
        self.res = nn.Conv1d(residual, residual, 1)
        self.skip = nn.Conv1d(residual, skip, 1)

    def forward(self, x):
        z = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        return self.res(z) + x, self.skip(z)


class WaveNet(nn.Module):
    def __init__(self, channels=4, skip=5, classes=6, dilations=(1, 2, 4)):
        super().__init__()
        self.causal = CausalConv1d(1, channels, 2)
        self.layers = nn.ModuleList([Layer(channels, skip, d) for d in dilations])
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(), nn.Conv1d(skip, classes, 1))

    def forward(self, x):
        x = self.causal(x)
        skips = 0
        for layer in self.layers:
            x, s = layer(x)
            skips = skips + s
        return self.end(skips).softmax(dim=1)


# program: WaveNet
def get_inputs():
    return [torch.randn(2, 1, 12)]
