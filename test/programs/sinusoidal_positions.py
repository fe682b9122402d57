"""Sinusoidal positions counted over what is no padding."""

# no gradient: no argument needs a gradient

import math

import torch
import torch.nn as nn


class SinusoidalPositions(nn.Module):
    def __init__(self, embedding_dim, padding_idx, init_size=32):
        super().__init__()
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx if padding_idx is not None else 0
        self.weights = SinusoidalPositions.get_embedding(init_size, embedding_dim, padding_idx)
        self.max_positions = int(1e5)

    @staticmethod
    def get_embedding(num_embeddings: int, embedding_dim: int, padding_idx=None):
        half_dim = embedding_dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim, dtype=torch.float) * -emb)
        emb = torch.arange(num_embeddings, dtype=torch.float).unsqueeze(1) * emb.unsqueeze(0)
        emb = torch.cat([torch.sin(emb), torch.cos(emb)], dim=1).view(num_embeddings, -1)
        if embedding_dim % 2 == 1:
            emb = torch.cat([emb, torch.zeros(num_embeddings, 1)], dim=1)
        if padding_idx is not None:
            emb[padding_idx, :] = 0
        return emb

    def forward(self, input):
        mask = input.ne(self.padding_idx).int()
        positions = (torch.cumsum(mask, dim=1).type_as(mask) * mask).long() + self.padding_idx
        bsz, seq_len = input.shape
        return self.weights.index_select(0, positions.view(-1)).view(bsz, seq_len, -1).detach()


def get_inputs():
    return [torch.randint(0, 5, (2, 7))]


def get_init_inputs():
    return [8, 1]
