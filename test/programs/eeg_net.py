"""Convolutions over time, then over electrodes, then separable ones (EEGNet), its norms with a momentum of 0.01."""

import torch
import torch.nn as nn


class EEGNet(nn.Module):
    def __init__(self, chans=4, samples=32, f1=2, d=2, kernel_length=8, classes=3):
        super().__init__()
        f2 = f1 * d
        self.block1 = nn.Sequential(
            nn.Conv2d(1, f1, (1, kernel_length), padding=(0, kernel_length // 2), bias=False),
            nn.BatchNorm2d(f1, momentum=0.01, eps=1e-3),
            nn.Conv2d(f1, f1 * d, (chans, 1), groups=f1, bias=False),
            nn.BatchNorm2d(f1 * d, momentum=0.01, eps=1e-3),
            nn.ELU(),
            nn.AvgPool2d((1, 4), stride=4),
        )
        self.block2 = nn.Sequential(
            nn.Conv2d(f2, f2, (1, 4), padding=(0, 2), bias=False, groups=f2),
            nn.Conv2d(f2, f2, 1, bias=False),
            nn.BatchNorm2d(f2, momentum=0.01, eps=1e-3),
            nn.ELU(),
            nn.AvgPool2d((1, 4), stride=4),
        )
        with torch.no_grad():
            features = self.block2(self.block1(torch.zeros(1, 1, chans, samples))).numel()
        self.classifier = nn.Linear(features, classes)

    def forward(self, x):
        x = self.block2(self.block1(x.unsqueeze(1)))
        return self.classifier(torch.flatten(x, 1))


def get_inputs():
    return [torch.randn(3, 4, 32)]
