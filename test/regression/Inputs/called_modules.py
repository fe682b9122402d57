import functools

import torch
from torch import nn


def passing(function):
    @functools.wraps(function)
    def passed(*args, **kwargs):
        return function(*args, **kwargs)

    return passed


def hiding(function):
    def hidden(*args, **kwargs):
        return function(*args, **kwargs)

    return hidden


class Wrapped(nn.Module):
    @passing
    def forward(self, x, scale=2.0):
        return x * scale


class Hidden(nn.Module):
    @hiding
    def forward(self, x):
        return x * 2


class Called(nn.Module):
    def __call__(self, x):
        return super().__call__(x).sin()

    def forward(self, x):
        return x * 2


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.__s = 2.0

    def forward(self, x):
        return x * self.__s


class Private(Base):
    def __init__(self):
        super().__init__()
        self.__s = 5.0
        self.shown = 1.0

    @property
    def gain(self):
        return self.shown

    @gain.setter
    def gain(self, value):
        self.shown = value

    def forward(self, x):
        return super().forward(x) + self.__s * self.gain


def get_inputs():
    return [torch.ones(2, 4)]
