"""RegNetY-400MF (Radosavovic et al., 2020): stages whose widths follow from four numbers."""

import math

import torch
from torch import nn


class ConvBNAct(nn.Sequential):
    def __init__(self, inp, out, kernel=3, stride=1, groups=1, act=True):
        layers = [
            nn.Conv2d(inp, out, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(out),
        ]
        if act:
            layers.append(nn.ReLU(inplace=True))
        super().__init__(*layers)


class SE(nn.Module):
    def __init__(self, width, squeezed):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.excitation = nn.Sequential(
            nn.Conv2d(width, squeezed, 1, bias=True),
            nn.ReLU(inplace=True),
            nn.Conv2d(squeezed, width, 1, bias=True),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return x * self.excitation(self.pool(x))


class YBlock(nn.Module):
    def __init__(self, width_in, width_out, stride, group_width, se_ratio=0.25):
        super().__init__()
        self.proj = None
        if stride != 1 or width_in != width_out:
            self.proj = ConvBNAct(width_in, width_out, 1, stride, act=False)
        self.f = nn.Sequential()
        self.f.add_module("a", ConvBNAct(width_in, width_out, 1))
        self.f.add_module("b", ConvBNAct(width_out, width_out, 3, stride, width_out // group_width))
        if se_ratio:
            self.f.add_module("se", SE(width_out, int(round(se_ratio * width_in))))
        self.f.add_module("c", ConvBNAct(width_out, width_out, 1, act=False))
        self.activation = nn.ReLU(inplace=True)

    def forward(self, x):
        if self.proj is not None:
            x = self.proj(x) + self.f(x)
        else:
            x = x + self.f(x)
        return self.activation(x)


def get_stages(depth, w_0, w_a, w_m, group_width, multiple=8):
    """Widths and depths of the stages from the quantised line of the paper."""
    widths = []
    for i in range(depth):
        exponent = round(math.log((w_0 + w_a * i) / w_0) / math.log(w_m))
        widths.append(int(round(w_0 * w_m**exponent / multiple) * multiple))
    stages = sorted(set(widths))
    depths = [widths.count(width) for width in stages]
    groups = [min(group_width, width) for width in stages]
    stages = [int(round(width / group) * group) for width, group in zip(stages, groups)]
    return list(zip(stages, depths, groups))


class RegNet(nn.Module):
    def __init__(self, depth=16, w_0=48, w_a=27.89, w_m=2.09, group_width=8, stem_width=32, num_classes=1000):
        super().__init__()
        self.stem = ConvBNAct(3, stem_width, 3, 2)
        current = stem_width
        blocks = []
        for i, (width, number, group) in enumerate(get_stages(depth, w_0, w_a, w_m, group_width, min(8, group_width))):
            stage = nn.Sequential()
            for j in range(number):
                stage.add_module(f"block{i + 1}-{j}", YBlock(current, width, 2 if j == 0 else 1, group))
                current = width
            blocks.append((f"block{i + 1}", stage))
        self.trunk_output = nn.Sequential()
        for name, stage in blocks:
            self.trunk_output.add_module(name, stage)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(current, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                fan_out = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                nn.init.normal_(m.weight, mean=0.0, std=math.sqrt(2.0 / fan_out))
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0.0, std=0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.stem(x)
        x = self.trunk_output(x)
        x = self.avgpool(x)
        x = x.flatten(start_dim=1)
        return self.fc(x)


def get_inputs():
    return [torch.randn(32, 3, 224, 224)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 3, 48, 48)]


def get_small_init_inputs():
    return [9, 8, 3.5, 2.0, 4, 4, 5]
