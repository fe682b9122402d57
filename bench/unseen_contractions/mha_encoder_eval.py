"""An encoder layer of the library with padding."""

import torch
from torch import nn


class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, activation="relu")

    def forward(self, x, pad):
        return self.layer(x, src_key_padding_mask=pad).mean(1)


def get_inputs():
    return [torch.randn(2, 4, 8), torch.tensor([[False, False, False, True], [False] * 4])]
