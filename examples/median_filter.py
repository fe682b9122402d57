"""A median filter along the rows of a signal, edges repeated."""

import torch
import torch.nn.functional as F


def median_filter(x: torch.Tensor, width: int = 5) -> torch.Tensor:
    padded = F.pad(x[:, None], (width // 2, width // 2), mode="replicate")[:, 0]
    return padded.unfold(-1, width, 1).median(dim=-1).values


def get_inputs():
    return [torch.randn(3, 77)]
