"""The library's cells, stepped over what a sequence unbinds to."""

import torch
from torch import nn


class CellStack(nn.Module):
    def __init__(self, size=3, hidden=4):
        super().__init__()
        self.lstm = nn.LSTMCell(size, hidden)
        self.gru = nn.GRUCell(hidden, hidden)
        self.rnn = nn.RNNCell(hidden, hidden, nonlinearity="tanh")

    def forward(self, xs):
        b = xs.shape[0]
        h = c = xs.new_zeros(b, 4)
        g = torch.zeros(b, 4)
        r = None
        outputs = []
        for x in xs.unbind(1):
            h, c = self.lstm(x, (h, c))
            g = self.gru(h, g)
            r = self.rnn(g, r) if r is not None else self.rnn(g)
            outputs += [r]
        return torch.stack(outputs, 1), (h, c)


def get_inputs():
    return [torch.randn(2, 4, 3)]
