"""Type hints and torch.jit.script."""

# program: scripted_function

from typing import Optional, Union

import torch
from torch import Tensor


@torch.jit.script
def fused_bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    y = x + bias
    return y * 0.5 * (1.0 + torch.tanh(0.79788456 * y * (1 + 0.044715 * y * y)))


@torch.compile(dynamic=True)
def scripted_function(x: Tensor, bias: Optional[Tensor] = None) -> Union[Tensor, None]:
    assert isinstance(x, torch.Tensor), "tensor wanted"
    return fused_bias_gelu(x, bias)


def get_inputs():
    return [torch.randn(4, 16), torch.randn(16)]
