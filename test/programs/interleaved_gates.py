"""Halves that alternate along the last axis: gates of experts with a bias, and the rotary embedding of neighbours."""

import torch
import torch.nn.functional as F


def interleaved_gates(x, bias, q, cos, sin):
    x = x + bias
    gate, linear = x[..., ::2].clamp(max=7.0), x[..., 1::2].clamp(-7.0, 7.0)
    gated = gate * torch.sigmoid(1.702 * gate) * (linear + 1)
    a, b = q[..., ::2], q[..., 1::2]
    turned = torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)
    left, right = q[..., 1::2], q[..., 0::2]
    return gated, turned, F.gelu(left) - right


def get_inputs():
    return [torch.randn(6, 40), torch.randn(40), torch.randn(2, 3, 5, 16), torch.randn(5, 8), torch.randn(5, 8)]
