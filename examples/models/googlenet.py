"""GoogLeNet (Szegedy et al., 2014) with batch norms, without its auxiliary classifiers."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class BasicConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, **kwargs):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, bias=False, **kwargs)
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001)

    def forward(self, x):
        x = self.conv(x)
        x = self.bn(x)
        return F.relu(x, inplace=True)


class Inception(nn.Module):
    def __init__(self, in_channels, ch1x1, ch3x3red, ch3x3, ch5x5red, ch5x5, pool_proj):
        super().__init__()
        self.branch1 = BasicConv2d(in_channels, ch1x1, kernel_size=1)
        self.branch2 = nn.Sequential(
            BasicConv2d(in_channels, ch3x3red, kernel_size=1), BasicConv2d(ch3x3red, ch3x3, kernel_size=3, padding=1)
        )
        self.branch3 = nn.Sequential(
            BasicConv2d(in_channels, ch5x5red, kernel_size=1),
            # Published implementations have 3 here, and their weights too.
            BasicConv2d(ch5x5red, ch5x5, kernel_size=3, padding=1),
        )
        self.branch4 = nn.Sequential(
            nn.MaxPool2d(kernel_size=3, stride=1, padding=1, ceil_mode=True),
            BasicConv2d(in_channels, pool_proj, kernel_size=1),
        )

    def _forward(self, x):
        return [self.branch1(x), self.branch2(x), self.branch3(x), self.branch4(x)]

    def forward(self, x):
        outputs = self._forward(x)
        return torch.cat(outputs, 1)


class GoogLeNet(nn.Module):
    def __init__(self, num_classes=1000, divisor=1, dropout=0.2):
        super().__init__()

        def scale(*channels):
            return [c // divisor for c in channels]

        (c64,) = scale(64)
        self.conv1 = BasicConv2d(3, c64, kernel_size=7, stride=2, padding=3)
        self.maxpool1 = nn.MaxPool2d(3, stride=2, ceil_mode=True)
        self.conv2 = BasicConv2d(c64, c64, kernel_size=1)
        self.conv3 = BasicConv2d(c64, 3 * c64, kernel_size=3, padding=1)
        self.maxpool2 = nn.MaxPool2d(3, stride=2, ceil_mode=True)

        self.inception3a = Inception(*scale(192, 64, 96, 128, 16, 32, 32))
        self.inception3b = Inception(*scale(256, 128, 128, 192, 32, 96, 64))
        self.maxpool3 = nn.MaxPool2d(3, stride=2, ceil_mode=True)

        self.inception4a = Inception(*scale(480, 192, 96, 208, 16, 48, 64))
        self.inception4b = Inception(*scale(512, 160, 112, 224, 24, 64, 64))
        self.inception4c = Inception(*scale(512, 128, 128, 256, 24, 64, 64))
        self.inception4d = Inception(*scale(512, 112, 144, 288, 32, 64, 64))
        self.inception4e = Inception(*scale(528, 256, 160, 320, 32, 128, 128))
        self.maxpool4 = nn.MaxPool2d(2, stride=2, ceil_mode=True)

        self.inception5a = Inception(*scale(832, 256, 160, 320, 32, 128, 128))
        self.inception5b = Inception(*scale(832, 384, 192, 384, 48, 128, 128))

        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.dropout = nn.Dropout(p=dropout)
        self.fc = nn.Linear(1024 // divisor, num_classes)

    def forward(self, x):
        # N x 3 x 224 x 224
        x = self.maxpool1(self.conv1(x))
        # N x 64 x 56 x 56
        x = self.conv3(self.conv2(x))
        x = self.maxpool2(x)
        # N x 192 x 28 x 28
        x = self.inception3b(self.inception3a(x))
        x = self.maxpool3(x)
        # N x 480 x 14 x 14
        x = self.inception4a(x)
        x = self.inception4b(x)
        x = self.inception4c(x)
        x = self.inception4d(x)
        x = self.inception4e(x)
        x = self.maxpool4(x)
        # N x 832 x 7 x 7
        x = self.inception5a(x)
        x = self.inception5b(x)
        # N x 1024 x 7 x 7
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        x = self.dropout(x)
        return self.fc(x)


def get_inputs():
    return [torch.randn(16, 3, 224, 224)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 3, 33, 33)]


def get_small_init_inputs():
    return [5, 16, 0.0]
