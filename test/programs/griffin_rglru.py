"""The real-gated linear recurrent unit of Griffin, reset at starts of documents."""

# only forward: PyTorch refuses its own gradient here

# program: RGLRU

import torch
import torch.nn as nn
import torch.nn.functional as F

_MAX_SQRT_GRADIENT = 1000.0


def rnn_scan(x, a, reset, h0):
    a = a * ~reset[..., None]
    if x.shape[1] == 1:
        y = a * h0[:, None] + x
        return y, y[:, -1]
    h_t = h0
    y = torch.zeros_like(x)
    for t in range(x.shape[1]):
        y[:, t] = a[:, t] * h_t + x[:, t]
        h_t = y[:, t]
    return y, h_t


class RGLRU(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width
        self.a_param = nn.Parameter(torch.linspace(0.1, 0.9, width))

    def forward(self, x, gate_x, gate_a, segment_pos, cache):
        reset = segment_pos == 0
        log_a = -8.0 * torch.sigmoid(gate_a) * F.softplus(self.a_param)
        a = torch.exp(log_a)
        a_square = torch.exp(2 * log_a)
        gated_x = x * torch.sigmoid(gate_x)
        multiplier = torch.sqrt(1 - a_square)
        multiplier = reset[..., None] + ~reset[..., None] * multiplier
        normalized_x = gated_x * multiplier.type(x.dtype)
        return rnn_scan(x=normalized_x, a=a, reset=reset, h0=cache)


def get_inputs():
    pos = torch.arange(6).repeat(2, 1)
    pos[1, 3:] -= 3
    return [torch.randn(2, 6, 5), torch.randn(2, 6, 5), torch.randn(2, 6, 5), pos, torch.randn(2, 5)]


def get_init_inputs():
    return [5]
