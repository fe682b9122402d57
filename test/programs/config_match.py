"""Normalisation by name, match statements, enums and partial."""

# program: Stack

import enum
import functools
import logging
import warnings
from contextlib import nullcontext

import torch
import torch.nn as nn

log = logging.getLogger(__name__)


class Norm(str, enum.Enum):
    LAYER = "layer"
    RMS = "rms"
    GROUP = "group"
    NONE = "none"


class Act(enum.IntEnum):
    RELU = 0
    GELU = enum.auto()
    SILU = enum.auto()


def build_norm(kind: Norm | str, dim: int, *, eps: float = 1e-5) -> nn.Module:
    match Norm(kind):
        case Norm.LAYER:
            return nn.LayerNorm(dim, eps=eps)
        case Norm.RMS:
            return nn.RMSNorm(dim, eps=eps)
        case Norm.GROUP:
            return nn.GroupNorm(2, dim, eps=eps)
        case Norm.NONE:
            return nn.Identity()
        case other:
            raise ValueError(f"unknown norm {other}")


ACTS = {Act.RELU: nn.ReLU, Act.GELU: functools.partial(nn.GELU, approximate="tanh"), Act.SILU: nn.SiLU}


class Stack(nn.Module):
    def __init__(self, dim=8, kinds=("layer", "rms", "none"), act=Act.GELU, amp=False):
        super().__init__()
        self.blocks = nn.Sequential(*[nn.Sequential(build_norm(k, dim), ACTS[act]()) for k in kinds])
        self.amp = amp
        if len(kinds) > 8:
            warnings.warn("deep stack", stacklevel=2)
        log.debug("built %d blocks", len(self.blocks))

    def forward(self, x):
        ctx = torch.autocast("cuda", dtype=torch.bfloat16) if self.amp else nullcontext()
        with ctx:
            y = x
            for i, block in enumerate(self.blocks):
                if (d := y.shape[-1]) % 2:
                    raise RuntimeError(f"odd width {d}")
                y = y + block(y) if i else block(y)
        return y


def get_inputs():
    return [torch.randn(3, 8)]


def get_init_inputs():
    return []
