"""Tables of angles as buffers, which are made anew where a sequence is longer than they are."""

# program: RotaryEmbedding

import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, longest=16, base=10000, scaling=2.0):
        super().__init__()
        self.scaling = scaling
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self._set_cache(longest)

    def _set_cache(self, length):
        self.longest = length
        freqs = torch.outer(torch.arange(length).type_as(self.inv_freq) / self.scaling, self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos(), persistent=False)
        self.register_buffer("sin_cached", emb.sin(), persistent=False)

    def forward(self, x, position_ids):
        if x.shape[-2] > self.longest:
            self._set_cache(x.shape[-2])
        cos = self.cos_cached[: x.shape[-2]][position_ids].unsqueeze(1)
        sin = self.sin_cached[: x.shape[-2]][position_ids].unsqueeze(1)
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin


def get_init_inputs():
    return [8]


def get_inputs():
    return [torch.randn(2, 3, 7, 8), torch.arange(7)[None]]
