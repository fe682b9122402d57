"""The mean of each column without its least and greatest elements."""

import torch


def trimmed_mean(x: torch.Tensor, trim: int = 3) -> torch.Tensor:
    ordered = x.sort(dim=0).values
    return ordered[trim:-trim].mean(dim=0)


def get_inputs():
    return [torch.randn(41, 19)]
