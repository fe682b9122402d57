"""A dataclass of tensors as the input."""

# program: masked_mean

from dataclasses import dataclass

import torch


@dataclass
class Batch:
    x: torch.Tensor
    mask: torch.Tensor
    scale: float = 1.0


def masked_mean(batch: Batch):
    m = batch.mask.to(batch.x.dtype)
    return (batch.x * m).sum(-1) / m.sum(-1).clamp(min=1) * batch.scale


def get_inputs():
    return [Batch(torch.randn(4, 8), torch.randint(0, 2, (4, 8)), 2.0)]
