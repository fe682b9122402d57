"""A dataclass as the result."""

# program: forward_outputs

from dataclasses import dataclass

import torch


@dataclass
class Result:
    logits: torch.Tensor
    hidden: torch.Tensor = None


def forward_outputs(x):
    return Result(logits=x * 2, hidden=torch.relu(x))


def get_inputs():
    return [torch.randn(4, 16)]
