"""A recurrent cell of two layers over what is joined with the state, stepped by a loop."""

import torch
import torch.nn as nn


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def step(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = torch.tanh(self.i2h(combined))
        output = self.i2o(combined)
        output = self.softmax(output)
        return output, hidden

    def forward(self, line_tensor):
        hidden = torch.zeros(line_tensor.size(1), self.hidden_size)
        for i in range(line_tensor.size()[0]):
            output, hidden = self.step(line_tensor[i], hidden)
        return output, hidden


def get_inputs():
    return [torch.randn(5, 3, 4)]


def get_init_inputs():
    return [4, 6, 5]
