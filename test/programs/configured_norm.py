"""A frozen dataclass of options as an argument."""

# program: configured_norm

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Config:
    eps: float = 1e-6
    offset: bool = True


def configured_norm(x, w, config: Config = Config()):
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + config.eps)
    return y * (1 + w if config.offset else w)


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8)]
