"""A character model with stacked GRUs over batches, its loss summed over the tokens that are no padding."""

import torch
from torch import nn


class CharGRU(nn.Module):
    def __init__(self, vocab=256, embed=256, hidden=1024, layers=3, dropout=0.2, pad_id=0):
        super().__init__()
        self.vocab, self.hidden, self.layers = vocab, hidden, layers
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab, embed, padding_idx=pad_id)
        self.gru = nn.GRU(embed, hidden, num_layers=layers, batch_first=True, dropout=dropout)
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, vocab)
        self.criterion = nn.CrossEntropyLoss(ignore_index=pad_id, reduction="sum")

    def forward(self, tokens):
        x, y = tokens[:, :-1], tokens[:, 1:]
        out, state = self.gru(self.embed(x))
        logits = self.head(self.norm(out))
        loss = self.criterion(logits.reshape(-1, self.vocab), y.reshape(-1))
        count = (y != self.pad_id).sum().clamp(min=1)
        return loss / count, state


def get_inputs():
    return [torch.randint(0, 256, (32, 129))]


def get_init_inputs():
    return []


def get_small_inputs():
    return [torch.randint(0, 9, (2, 6))]


def get_small_init_inputs():
    return [9, 5, 6, 2]
