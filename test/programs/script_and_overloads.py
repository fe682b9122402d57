"""torch.jit.script, overloads and optional residuals."""

# program: add_gelu

from typing import Optional, Tuple, overload

import torch
from torch import Tensor


@torch.jit.script
def fused_gelu(x: Tensor, bias: Tensor) -> Tensor:
    y = bias + x
    return y * 0.5 * (1.0 + torch.erf(y / 1.41421))


@overload
def pick(x: Tensor) -> Tensor: ...
@overload
def pick(x: Tensor, y: Optional[Tensor]) -> Tensor: ...
def pick(x, y=None):
    return x if y is None else x + y


def add_gelu(x: Tensor, bias: Tensor, residual: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
    if torch.jit.is_scripting():
        raise RuntimeError("no")
    out = fused_gelu(x, bias)
    assert isinstance(out, torch.Tensor), f"bad {type(out)}"
    return pick(out, residual), pick(out)


def get_inputs():
    return [torch.randn(4, 8), torch.randn(8), torch.randn(4, 8)]
