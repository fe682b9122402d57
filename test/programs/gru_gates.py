"""The pointwise part of a GRU cell."""

import torch


def gru_gates(gi, gh, h):
    i_r, i_i, i_n = gi.chunk(3, 1)
    h_r, h_i, h_n = gh.chunk(3, 1)
    resetgate = torch.sigmoid(i_r + h_r)
    inputgate = torch.sigmoid(i_i + h_i)
    newgate = torch.tanh(i_n + resetgate * h_n)
    return newgate + inputgate * (h - newgate)


def get_inputs():
    return [torch.randn(3, 24), torch.randn(3, 24), torch.randn(3, 8)]
