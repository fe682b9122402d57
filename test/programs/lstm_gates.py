"""The pointwise part of an LSTM cell, its state a named tuple."""

# program: lstm_gates

from typing import NamedTuple

import torch


class State(NamedTuple):
    h: torch.Tensor
    c: torch.Tensor


def lstm_gates(gates, state: State):
    i, f, g, o = gates.chunk(4, dim=-1)
    c = torch.sigmoid(f) * state.c + torch.sigmoid(i) * torch.tanh(g)
    return State(torch.sigmoid(o) * torch.tanh(c), c)


def get_inputs():
    return [torch.randn(4, 32), State(torch.randn(4, 8), torch.randn(4, 8))]
