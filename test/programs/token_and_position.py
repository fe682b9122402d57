"""Embeddings of tokens and positions."""

import torch
import torch.nn as nn


class TokenAndPosition(nn.Module):
    def __init__(self, vocab, dim, maxlen):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = nn.Embedding(maxlen, dim)
        self.norm = nn.LayerNorm(dim)
        self.register_buffer("position_ids", torch.arange(maxlen).expand((1, -1)), persistent=False)

    def forward(self, ids):
        seq = ids.size(1)
        e = self.tok(ids) + self.pos(self.position_ids[:, :seq])
        return self.norm(e)


def get_inputs():
    return [torch.randint(0, 11, (2, 5))]


def get_init_inputs():
    return [11, 16, 12]
