"""Token and position embeddings added and normalised."""

import torch
import torch.nn as nn


class Embeddings(nn.Module):
    def __init__(self, vocabulary, positions, dim):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, dim)
        self.positions = nn.Embedding(positions, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device)
        return self.norm(self.tokens(ids) + self.positions(places))


def get_init_inputs():
    return [1000, 64, 128]


def get_inputs():
    return [torch.randint(0, 1000, (4, 32))]
