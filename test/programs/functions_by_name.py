"""Functions looked up by their names."""

# program: functions_by_name

import torch
import torch.nn.functional as F
from torch import nn


def get_activation(name):
    if hasattr(F, name):
        return getattr(F, name)
    return {"swish": F.silu}.get(name, nn.Identity())


def functions_by_name(x):
    y = get_activation("mish")(x)
    z = getattr(torch, "tanh")(y)
    op = getattr(z, "mul")
    return op(get_activation("swish")(x)) + get_activation("nothing")(x)


def get_inputs():
    return [torch.randn(4, 8)]
