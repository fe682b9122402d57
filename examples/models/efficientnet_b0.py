"""EfficientNet-B0 (Tan and Le, 2019): depthwise blocks with squeeze and excitation, dropped at random in training."""

import math
from dataclasses import dataclass
from functools import partial
from typing import List, Optional

import torch
import torch.nn as nn


@dataclass
class MBConvConfig:
    expand_ratio: float
    kernel: int
    stride: int
    input_channels: int
    out_channels: int
    num_layers: int


B0 = [
    MBConvConfig(1, 3, 1, 32, 16, 1),
    MBConvConfig(6, 3, 2, 16, 24, 2),
    MBConvConfig(6, 5, 2, 24, 40, 2),
    MBConvConfig(6, 3, 2, 40, 80, 3),
    MBConvConfig(6, 5, 1, 80, 112, 3),
    MBConvConfig(6, 5, 2, 112, 192, 4),
    MBConvConfig(6, 3, 1, 192, 320, 1),
]


def stochastic_depth(x, p, training):
    """Drops the branch of a whole sample."""
    if not training or p == 0.0:
        return x
    survival = 1.0 - p
    noise = torch.empty((x.shape[0],) + (1,) * (x.ndim - 1), dtype=x.dtype, device=x.device)
    return x * noise.bernoulli_(survival).div_(survival)


class SqueezeExcitation(nn.Module):
    def __init__(self, input_channels, squeeze_channels):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation = nn.SiLU(inplace=True)
        self.scale_activation = nn.Sigmoid()

    def _scale(self, input):
        scale = self.avgpool(input)
        scale = self.fc1(scale)
        scale = self.activation(scale)
        scale = self.fc2(scale)
        return self.scale_activation(scale)

    def forward(self, input):
        return self._scale(input) * input


class ConvNormActivation(nn.Sequential):
    def __init__(self, inp, out, kernel, stride=1, groups=1, norm_layer=nn.BatchNorm2d, act=True):
        layers = [
            nn.Conv2d(inp, out, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
            norm_layer(out),
        ]
        if act:
            layers.append(nn.SiLU(inplace=True))
        super().__init__(*layers)


class MBConv(nn.Module):
    def __init__(self, cnf, inp, out, stride, stochastic_depth_prob, norm_layer):
        super().__init__()
        self.use_res_connect = stride == 1 and inp == out
        self.prob = stochastic_depth_prob

        layers: List[nn.Module] = []
        expanded = int(inp * cnf.expand_ratio)
        if expanded != inp:
            layers.append(ConvNormActivation(inp, expanded, 1, norm_layer=norm_layer))
        layers.append(ConvNormActivation(expanded, expanded, cnf.kernel, stride, expanded, norm_layer))
        layers.append(SqueezeExcitation(expanded, max(1, inp // 4)))
        layers.append(ConvNormActivation(expanded, out, 1, norm_layer=norm_layer, act=False))
        self.block = nn.Sequential(*layers)

    def forward(self, input):
        result = self.block(input)
        if self.use_res_connect:
            result = stochastic_depth(result, self.prob, self.training)
            result += input
        return result


class EfficientNetB0(nn.Module):
    def __init__(
        self,
        num_classes: int = 1000,
        divisor: int = 1,
        settings: Optional[List[MBConvConfig]] = None,
        last_channel: int = 1280,
        dropout: float = 0.2,
        stochastic_depth_prob: float = 0.2,
    ):
        super().__init__()
        settings = B0 if settings is None else settings
        norm_layer = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)

        first = settings[0].input_channels // divisor
        layers: List[nn.Module] = [ConvNormActivation(3, first, 3, stride=2, norm_layer=norm_layer)]
        total_stage_blocks = sum(cnf.num_layers for cnf in settings)
        stage_block_id = 0
        for cnf in settings:
            stage: List[nn.Module] = []
            inp, out = cnf.input_channels // divisor, cnf.out_channels // divisor
            for i in range(cnf.num_layers):
                sd_prob = stochastic_depth_prob * float(stage_block_id) / total_stage_blocks
                stage.append(MBConv(cnf, inp if i == 0 else out, out, cnf.stride if i == 0 else 1, sd_prob, norm_layer))
                stage_block_id += 1
            layers.append(nn.Sequential(*stage))
        layers.append(ConvNormActivation(settings[-1].out_channels // divisor, last_channel, 1, norm_layer=norm_layer))

        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(last_channel, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Linear):
                init_range = 1.0 / math.sqrt(m.out_features)
                nn.init.uniform_(m.weight, -init_range, init_range)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.features(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


def get_inputs():
    return [torch.randn(32, 3, 224, 224)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 3, 33, 33)]


def get_small_init_inputs():
    settings = [MBConvConfig(1, 3, 1, 32, 16, 1), MBConvConfig(6, 3, 2, 16, 24, 2), MBConvConfig(3, 5, 2, 24, 40, 2)]
    return [5, 8, settings, 24, 0.0, 0.0]
