"""Normalised features pooled in several ways."""

# program: PoolingHead

from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class RmsNorm2d(nn.Module):
    __constants__ = ["normalized_shape", "eps", "affine"]
    normalized_shape: Tuple[int, ...]

    def __init__(self, channels, eps=1e-6, affine=True, device=None, dtype=None) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        normalized_shape = channels
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.affine = affine
        if self.affine:
            self.weight = nn.Parameter(torch.empty(self.normalized_shape, **factory_kwargs))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.affine:
            nn.init.ones_(self.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.permute(0, 2, 3, 1)
        v = x.pow(2)
        v = torch.mean(v, dim=-1, keepdim=True)
        x = x * torch.rsqrt(v + self.eps)
        if self.weight is not None:
            x = x * self.weight
        return x.permute(0, 3, 1, 2)


class SelectAdaptivePool2d(nn.Module):
    def __init__(self, output_size=1, pool_type: str = "fast", flatten: bool = False):
        super().__init__()
        assert pool_type in ("fast", "avg", "catavgmax", "avgmax")
        self.pool_type = pool_type or ""
        self.flatten = nn.Flatten(1) if flatten else nn.Identity()

    def is_identity(self):
        return not self.pool_type

    def forward(self, x):
        if self.pool_type == "avgmax":
            x = 0.5 * (F.adaptive_avg_pool2d(x, 1) + F.adaptive_max_pool2d(x, 1))
        elif self.pool_type == "catavgmax":
            x = torch.cat((F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1)), 1)
        else:
            x = F.adaptive_avg_pool2d(x, 1)
        return self.flatten(x)


class PoolingHead(nn.Module):
    def __init__(self, ch=6, pool="catavgmax"):
        super().__init__()
        self.norm = RmsNorm2d(ch)
        self.pool = SelectAdaptivePool2d(pool_type=pool, flatten=True)

    def forward(self, x):
        return self.pool(self.norm(x))


def get_inputs():
    return [torch.randn(2, 6, 5, 4)]


def get_init_inputs():
    return []
