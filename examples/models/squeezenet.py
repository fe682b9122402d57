"""SqueezeNet 1.1 (Iandola et al., 2016)."""

import torch
import torch.nn as nn
import torch.nn.init as init


class Fire(nn.Module):
    def __init__(self, inplanes, squeeze_planes, expand1x1_planes, expand3x3_planes):
        super().__init__()
        self.inplanes = inplanes
        self.squeeze = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand1x1_planes, kernel_size=1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand3x3_planes, kernel_size=3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return torch.cat(
            [self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1
        )


class SqueezeNet(nn.Module):
    def __init__(self, num_classes=1000, base=16, dropout=0.5):
        super().__init__()
        self.num_classes = num_classes
        self.features = nn.Sequential(
            nn.Conv2d(3, 4 * base, kernel_size=3, stride=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True),
            Fire(4 * base, base, 4 * base, 4 * base),
            Fire(8 * base, base, 4 * base, 4 * base),
            nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True),
            Fire(8 * base, 2 * base, 8 * base, 8 * base),
            Fire(16 * base, 2 * base, 8 * base, 8 * base),
            nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True),
            Fire(16 * base, 3 * base, 12 * base, 12 * base),
            Fire(24 * base, 3 * base, 12 * base, 12 * base),
            Fire(24 * base, 4 * base, 16 * base, 16 * base),
            Fire(32 * base, 4 * base, 16 * base, 16 * base),
        )
        final_conv = nn.Conv2d(32 * base, self.num_classes, kernel_size=1)
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout), final_conv, nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1))
        )
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                if m is final_conv:
                    init.normal_(m.weight, mean=0.0, std=0.01)
                else:
                    init.kaiming_uniform_(m.weight)
                if m.bias is not None:
                    init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.features(x)
        x = self.classifier(x)
        return torch.flatten(x, 1)


def get_inputs():
    return [torch.randn(32, 3, 224, 224)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 3, 35, 35)]


def get_small_init_inputs():
    return [5, 2]
