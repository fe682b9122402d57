"""A property with a setter, the environment and the version of Python."""

import torch
from torch import nn
import logging
import os
import sys
import warnings

logger = logging.getLogger(__name__)
DEBUG = bool(int(os.environ.get("MY_DEBUG", "0")))


class Scale(nn.Module):
    __constants__ = ["init"]
    init: float

    def __init__(self, init=0.5, learnable=True):
        super().__init__()
        self._calls = 0
        value = torch.tensor(float(init))
        if learnable:
            self.log_scale = nn.Parameter(value.log())
        else:
            self.register_buffer("log_scale", value.log())

    @property
    def scale(self):
        return self.log_scale.exp()

    @scale.setter
    def scale(self, v):
        with torch.no_grad():
            self.log_scale.fill_(float(torch.tensor(v).log()))

    def extra_repr(self):
        return f"scale={self.scale.item():.3f}"

    def forward(self, x):
        if DEBUG:
            print(x.shape)
        logger.debug("shape %s", x.shape)
        if sys.version_info < (3, 8):
            warnings.warn("old")
        return x * self.scale + (0 if self.training else 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Scale()
        self.b = Scale(2.0, learnable=False)
        self.a.scale = 0.25

    def forward(self, x):
        return self.b(self.a(x)).softmax(-1)


# program: Net
def get_inputs():
    return [torch.randn(4, 6)]
