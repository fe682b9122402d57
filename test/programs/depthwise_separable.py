"""Depthwise and pointwise convolutions of different strides."""

import torch
import torch.nn as nn


class DepthwiseSeparable(nn.Module):
    def __init__(self, nin, nout, kernels_per_layer=2, stride=1):
        super().__init__()
        self.depthwise = nn.Conv2d(
            nin, nin * kernels_per_layer, kernel_size=3, stride=stride, padding=1, groups=nin, bias=False
        )
        self.pointwise = nn.Conv2d(nin * kernels_per_layer, nout, kernel_size=1, bias=True)
        self.bn1 = nn.BatchNorm2d(nin * kernels_per_layer)

    def forward(self, x):
        out = self.depthwise(x)
        out = nn.functional.relu6(self.bn1(out))
        return self.pointwise(out)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(DepthwiseSeparable(3, 4), DepthwiseSeparable(4, 6, stride=2))

    def forward(self, x):
        return self.model(x)


# program: Model
def get_inputs():
    return [torch.randn(2, 3, 8, 7)]
