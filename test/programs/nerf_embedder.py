"""Sines and cosines of growing frequencies."""

import torch


class Embedder(torch.nn.Module):
    def __init__(self, n_freqs=4, include_input=True):
        super().__init__()
        self.embed_fns = [lambda x: x] if include_input else []
        for freq in 2.0 ** torch.arange(n_freqs).float() if False else [2.0**i for i in range(n_freqs)]:
            for p_fn in [torch.sin, torch.cos]:
                self.embed_fns.append(lambda x, p_fn=p_fn, freq=freq: p_fn(x * freq))

    def forward(self, x):
        return torch.cat([fn(x) for fn in self.embed_fns], -1)


def get_inputs():
    return [torch.randn(6, 3)]


def get_init_inputs():
    return []
