"""Operators that Nereid knows, left to PyTorch all the same: a sort as a method and a norm with arguments by name."""

# options: --keep-torch torch.sort --keep-torch layer_norm

import torch
import torch.nn.functional as F


def kept_sort(x, weight):
    values, places = (x * 2).sort(dim=-1, descending=True)
    gaps = values[:, :-1] - values[:, 1:]
    normed = F.layer_norm(x, normalized_shape=(x.shape[-1],), weight=weight, eps=1e-6)
    return gaps.sum(-1), places, normed * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(5, 9), torch.randn(9)]
