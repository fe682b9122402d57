"""Dataclasses and dicts in a dataclass."""

# program: nested_output

from dataclasses import dataclass, field
from typing import Dict, Optional

import torch


@dataclass
class Inner:
    a: torch.Tensor
    scale: float = 1.0


@dataclass
class Output:
    last: torch.Tensor
    inner: Optional[Inner] = None
    extras: Dict[str, torch.Tensor] = field(default_factory=dict)


def nested_output(x):
    y = torch.tanh(x)
    return Output(last=y, inner=Inner(y.sum(-1), 0.5), extras={"sq": y * y})


def get_inputs():
    return [torch.randn(6, 10)]
