"""LeNet-5 (LeCun et al., 1998), as it is written today."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LeNet5(nn.Module):
    def __init__(self, channels=(6, 16), features=(120, 84), classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels[0], kernel_size=5)
        self.conv2 = nn.Conv2d(channels[0], channels[1], kernel_size=5)
        self.fc1 = nn.Linear(channels[1] * 5 * 5, features[0])
        self.fc2 = nn.Linear(features[0], features[1])
        self.fc3 = nn.Linear(features[1], classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, self.num_flat_features(x))
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)

    def num_flat_features(self, x):
        num_features = 1
        for s in x.size()[1:]:
            num_features *= s
        return num_features


def get_inputs():
    return [torch.randn(256, 1, 32, 32)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(2, 1, 32, 32)]


def get_small_init_inputs():
    return [(2, 3), (12, 9), 4]
