"""A cache written at a position that the caller gives, then masked."""

import torch


class KVCache(torch.nn.Module):
    def __init__(self, b=2, h=2, s=8, d=4):
        super().__init__()
        self.register_buffer("k_cache", torch.zeros(b, h, s, d))

    def update(self, input_pos, k_val):
        k_out = self.k_cache
        k_out[:, :, input_pos] = k_val
        return k_out

    def forward(self, q, k, input_pos):
        keys = self.update(input_pos, k)
        scores = (q * keys).sum(-1) / keys.shape[-1] ** 0.5
        valid = torch.arange(keys.shape[2], device=q.device) <= input_pos
        return scores.masked_fill(~valid, float("-inf")).softmax(-1)


def get_inputs():
    return [torch.randn(2, 2, 1, 4), torch.randn(2, 2, 1, 4), torch.tensor([3])]


def get_init_inputs():
    return []
