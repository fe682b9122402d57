"""The loss of a masked language model: the head of the tokens that are to be guessed, and what their labels' scores are."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedTokens(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, h, labels):
        kept = labels != -100
        chosen = self.head(self.norm(h[kept]))
        loss = F.cross_entropy(chosen, labels[kept])
        picked = (h[kept] @ self.head.weight.T).log_softmax(-1)
        scores = picked.gather(-1, labels[kept].unsqueeze(-1)).mean()
        flat = h.reshape(-1, h.shape[-1])
        rows = flat[kept.reshape(-1)]
        return loss, scores, self.head(rows).sum()


def get_init_inputs():
    return [12, 7]


def get_inputs():
    labels = torch.randint(0, 7, (3, 10))
    return [torch.randn(3, 10, 12), torch.where(torch.rand(3, 10) < 0.6, -100, labels)]
