"""Bags of rows between offsets, with padding, weights of samples and gradients shared by frequency."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.EmbeddingBag(20, 8, mode="sum", padding_idx=3)
        self.rows = nn.Embedding(20, 8, scale_grad_by_freq=True)

    def forward(self, idx, offsets, weights):
        table = self.rows.weight
        return (
            self.shared(idx, offsets, weights),
            F.embedding_bag(idx, table, offsets, mode="mean", padding_idx=3),
            F.embedding_bag(idx, table, offsets, mode="max", padding_idx=-17, include_last_offset=True),
            F.embedding_bag(table, idx.view(-1, 4), mode="max", padding_idx=3),
            self.rows(idx),
        )


def get_inputs():
    idx = torch.randint(0, 20, (24,))
    idx[4:7] = 3
    return [idx, torch.tensor([0, 4, 7, 7, 24]), torch.rand(24)]
