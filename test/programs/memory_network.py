"""Hops over a memory of sentences, each by two embeddings shared with the neighbouring hop."""

import torch
from torch import nn


class MemN2N(nn.Module):
    def __init__(self, vocab=12, dim=6, hops=3):
        super().__init__()
        self.hops = hops
        self.C = nn.ModuleList([nn.Embedding(vocab, dim, padding_idx=0) for _ in range(hops + 1)])

    def forward(self, story, query):
        u = self.C[0](query).sum(1)
        for hop in range(self.hops):
            m = self.C[hop](story).sum(2)
            prob = torch.softmax(torch.sum(m * u.unsqueeze(1).expand_as(m), 2), dim=1)
            c = self.C[hop + 1](story).sum(2)
            o = torch.sum(c * prob.unsqueeze(2).expand_as(c), 1)
            u = u + o
        a_hat = u @ self.C[self.hops].weight.transpose(0, 1)
        return a_hat, torch.log_softmax(a_hat, -1)


def get_inputs():
    return [torch.randint(0, 12, (2, 4, 3)), torch.randint(0, 12, (2, 3))]
