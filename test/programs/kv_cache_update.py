"""New keys written into a cache."""

# no gradient: is mutated by the program

import torch


def kv_cache_update(cache, new, pos: int = 3):
    cache[:, :, pos : pos + new.shape[2]] = new
    return cache[:, :, : pos + new.shape[2]]


def get_inputs():
    return [torch.randn(2, 3, 16, 4), torch.randn(2, 3, 2, 4)]
