"""One layer twice, another tied by its weight, a third frozen, and a prefix of zeros that learns."""

import torch
from torch import nn


class Shared(nn.Module):
    def __init__(self, dim=6, vocab=9):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.block = nn.Linear(dim, dim)
        self.layers = nn.ModuleList([self.block, nn.Tanh(), self.block])
        self.frozen = nn.Linear(dim, dim, bias=False)
        self.frozen.requires_grad_(False)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.embed.weight
        self.zero = nn.Linear(dim, dim)
        nn.init.zeros_(self.zero.weight)
        nn.init.zeros_(self.zero.bias)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        x = x + self.zero(self.frozen(x).detach())
        return self.head(x)


def get_inputs():
    return [torch.randint(0, 9, (2, 4))]
