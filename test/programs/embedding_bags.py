"""Sums, means and maxima of embeddings."""

import torch
import torch.nn.functional as F
from torch import nn


class EmbeddingBags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(20, 8, mode="sum", padding_idx=0)
        self.mean = nn.EmbeddingBag(20, 8)

    def forward(self, idx):
        return self.bag(idx), self.mean(idx), F.embedding_bag(idx, self.bag.weight, mode="max")


def get_inputs():
    return [torch.randint(0, 20, (4, 6))]


def get_init_inputs():
    return []
