"""Writes new keys to the slots of a cache, and counts how full a histogram of their norms is."""

import torch


def fill_slots(cache, slots, keys, bins: int = 16):
    updated = cache.clone()
    updated[slots] = keys
    norms = keys.norm(dim=1)
    histogram = torch.histc(norms, bins=bins, min=0.0, max=16.0)
    return updated, histogram


def get_inputs():
    return [torch.randn(50, 8), torch.randperm(50)[:20], torch.randn(20, 8) * 2]
