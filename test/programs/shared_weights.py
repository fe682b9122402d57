"""Weights that a module has twice, beside a penalty on all of them; an embedding from a table; numbers by NumPy."""

# program: Tagger

import numpy as np
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=7, features=6):
        super().__init__()
        table = torch.arange(words * features).reshape(words, features).float() / 40
        self.embedding = nn.Embedding.from_pretrained(table, freeze=False)
        self.scale = nn.Parameter(torch.full((features,), 0.5))
        self.out_scale = self.scale
        self.tied = nn.Embedding(words, features)
        self.tied.weight = self.embedding.weight

    def forward(self, words, noise):
        hidden = self.embedding(words) * self.scale + self.tied(words).tanh() * self.out_scale
        density = -0.5 * (np.log(2.0 * np.pi) + noise.pow(2)) / np.sqrt(noise.shape[-1])
        penalty = sum(p.pow(2).sum() for p in self.parameters())
        largest = nn.utils.parameters_to_vector(self.parameters()).abs().amax()
        return hidden + density, penalty, largest


def get_inputs(b=3, t=5, words=7, features=6):
    return [torch.randint(0, words, (b, t)), torch.randn(b, t, features)]
