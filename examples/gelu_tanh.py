"""GELU by its tanh approximation, spelled out as in many model files."""

import math

import torch


def gelu_tanh(x):
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
    return 0.5 * x * (1.0 + torch.tanh(inner))


def get_inputs():
    return [torch.randn(64, 1024)]
