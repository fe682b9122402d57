"""The library's multi-head attention: of a sequence with itself, and of one with another, masked and unmasked."""

import torch
from torch import nn


class CrossAndSelf(nn.Module):
    def __init__(self, embed_dim=8, num_heads=2, kdim=6):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(
            embed_dim, num_heads, kdim=kdim, vdim=kdim, batch_first=True, bias=False
        )

    def forward(self, x, memory, padding):
        length = x.shape[1]
        mask = torch.triu(torch.full((length, length), float("-inf"), device=x.device), diagonal=1)
        y, _ = self.self_attn(x, x, x, attn_mask=mask, need_weights=False)
        x = x + y
        z, weights = self.cross_attn(x, memory, memory, key_padding_mask=padding, average_attn_weights=False)
        return x + z, weights


def get_inputs():
    padding = torch.arange(6) >= torch.tensor([[4], [6]])
    return [torch.randn(2, 5, 8), torch.randn(2, 6, 6), padding]
