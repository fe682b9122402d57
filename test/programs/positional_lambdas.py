"""The positional encoding of radiance fields: a list of functions, whose defaults are numbers, tensors and objects."""

import torch
import torch.nn as nn


class Embedder:
    def __init__(self, frequencies, periodic=(torch.sin, torch.cos)):
        self.functions = [lambda x: x]
        for frequency in 2.0 ** torch.linspace(0.0, frequencies - 1, steps=frequencies):
            for function in periodic:
                self.functions.append(lambda x, p=function, freq=frequency: p(x * freq))

    def embed(self, x):
        return torch.cat([function(x) for function in self.functions], -1)


def get_embedder(frequencies, scale=0.5):
    embedder = Embedder(frequencies)

    def double(x, times):
        return x if times == 0 else double(x * 2, times - 1)

    return lambda x, eo=embedder, *, by=scale: eo.embed(double(x, 1) * by)


class Model(nn.Module):
    def __init__(self, frequencies=3):
        super().__init__()
        self.embed = get_embedder(frequencies)
        self.hidden = nn.Linear(3 * (1 + 2 * frequencies), 4)

    def forward(self, x):
        """x: [rays, 3]."""
        return torch.relu(self.hidden(self.embed(x)))


def get_inputs():
    return [torch.randn(5, 3)]


def get_init_inputs():
    return []
