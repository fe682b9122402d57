"""Masks of lengths, masked mean and max pooling, last hidden states."""


# program: packed_padding

from typing import Optional

import torch


def sequence_mask(length: torch.Tensor, max_length: Optional[int] = None) -> torch.Tensor:
    if max_length is None:
        max_length = length.max()
    x = torch.arange(max_length, dtype=length.dtype, device=length.device)
    return x.unsqueeze(0) < length.unsqueeze(1)


def packed_padding(h, lengths):
    b, t, d = h.shape
    mask = sequence_mask(lengths, t).unsqueeze(-1)
    mean = (h * mask).sum(1) / lengths.clamp(min=1).unsqueeze(-1)
    mx = h.masked_fill(~mask, torch.finfo(h.dtype).min).max(dim=1)[0]
    last = h[torch.arange(b, device=h.device), (lengths - 1).clamp(min=0)]
    return torch.cat([mean, mx, last], -1)


def get_inputs():
    return [torch.randn(4, 6, 5), torch.tensor([6, 3, 1, 4])]
