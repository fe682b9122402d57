import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 6, bidirectional=True)

    def forward(self, x):
        return self.lstm(x)[0]
