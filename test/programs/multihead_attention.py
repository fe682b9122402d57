"""nn.MultiheadAttention of its own tensor, and across to another of other widths with extra keys."""

import torch
from torch import nn


class Attentions(nn.Module):
    def __init__(self):
        super().__init__()
        self.own = nn.MultiheadAttention(8, 2, batch_first=True)
        self.across = nn.MultiheadAttention(8, 4, kdim=6, vdim=5, bias=False, add_bias_kv=True, add_zero_attn=True)

    def forward(self, x, keys, values, padding):
        y, weights = self.own(x, x, x, key_padding_mask=padding)
        z, _ = self.across(y.transpose(0, 1), keys, values, need_weights=False)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)
        w, apart = self.own(x, y, y, attn_mask=mask, average_attn_weights=False)
        return z, weights, w, apart


def get_inputs():
    padding = torch.arange(5) >= torch.tensor([[5], [3]])
    return [torch.randn(2, 5, 8), torch.randn(7, 2, 6), torch.randn(7, 2, 5), padding]
