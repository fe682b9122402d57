"""A multilayer perceptron for handwritten digits."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self, in_features=784, hidden=(800, 800), classes=10):
        super().__init__()
        layers = []
        current = in_features
        for size in hidden:
            layers.append(nn.Linear(current, size))
            layers.append(nn.ReLU())
            current = size
        layers.append(nn.Linear(current, classes))
        self.network = nn.Sequential(*layers)

    def forward(self, x):
        return F.log_softmax(self.network(x.flatten(1)), dim=1)


def get_inputs():
    return [torch.randn(128, 1, 28, 28)]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randn(3, 1, 6, 6)]


def get_small_init_inputs():
    return [36, (20, 20), 10]
