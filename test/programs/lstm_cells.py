"""Cells of an LSTM and of plain recurrent layers, called in a loop."""

import torch
from torch import nn


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 5)
        self.lstm2 = nn.LSTMCell(5, 5)
        self.plain = nn.RNNCell(5, 3, nonlinearity="relu", bias=False)
        self.linear = nn.Linear(5, 1)

    def forward(self, input):
        outputs = []
        h_t = torch.zeros(input.size(0), 5)
        c_t = torch.zeros(input.size(0), 5)
        h_t2, c_t2, p = None, None, None
        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, None if h_t2 is None else (h_t2, c_t2))
            p = self.plain(h_t2, p)
            outputs += [self.linear(h_t2)]
        return torch.cat(outputs, dim=1), p


def get_inputs():
    return [torch.randn(2, 4)]
