"""A GRU written out, its products inside and outside of the loop over time."""

import torch
import torch.nn as nn


class WrittenGRU(nn.Module):
    def __init__(self, input_size=5, hidden_size=4):
        super().__init__()
        self.hidden_size = hidden_size
        self.x2h = nn.Linear(input_size, 3 * hidden_size)
        self.h2h = nn.Linear(hidden_size, 3 * hidden_size)

    def forward(self, x):
        b, t, _ = x.shape
        h = torch.zeros(b, self.hidden_size)
        outs = []
        for step in x.unbind(1):
            gate_x, gate_h = self.x2h(step), self.h2h(h)
            i_r, i_i, i_n = gate_x.chunk(3, 1)
            h_r, h_i, h_n = gate_h.chunk(3, 1)
            resetgate = torch.sigmoid(i_r + h_r)
            inputgate = torch.sigmoid(i_i + h_i)
            newgate = torch.tanh(i_n + resetgate * h_n)
            h = newgate + inputgate * (h - newgate)
            outs.append(h)
        return torch.stack(outs, 1), h


def get_inputs():
    return [torch.randn(3, 4, 5)]
