# program: Model
"""The standard library as published repositories use it: protocols, enumerations, expressions for names, contexts."""

import contextlib
import copy
import logging
import numbers
import re
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum, auto
from functools import lru_cache, partial, reduce
from itertools import accumulate, chain, pairwise
from operator import mul
from typing import TYPE_CHECKING, Literal, NamedTuple, Optional, Protocol, TypeVar, Union, get_args

import torch
import torch.nn as nn
import torch.nn.functional as F

if TYPE_CHECKING:
    from somewhere.else_ import Config  # noqa: F401

logger = logging.getLogger(__name__)
T = TypeVar("T", bound="nn.Module")
Reduction = Literal["none", "mean", "sum"]


class Norm(str, Enum):
    LAYER = "layer"
    RMS = "rms"


class Order(IntEnum):
    PRE = auto()
    POST = auto()


class HasWidth(Protocol):
    width: int


class Stats(NamedTuple):
    mean: torch.Tensor
    peak: torch.Tensor


@dataclass
class Plan:
    width: int
    norm: Norm = Norm.RMS
    order: Order = Order.PRE
    inner: Optional["Plan"] = None
    scales: Union[float, Sequence[float]] = 1.0
    rates: dict[str, float] = field(default_factory=dict)


@contextlib.contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@lru_cache(maxsize=None)
def widths(width: int, depth: int) -> tuple[int, ...]:
    return tuple(accumulate([width] + [2] * depth, mul))


def as_list(x, n):
    if isinstance(x, Iterable) and not isinstance(x, (str, Mapping)):
        return list(x)
    if isinstance(x, (numbers.Number, bool)):
        return [x] * n
    raise TypeError(type(x))


RULES = [(re.compile(r"^blocks\.(\d+)\.scale$"), 0.5), (re.compile(r"(^|\.)shift$"), 2.0)]


def rate_of(name: str) -> float:
    for pattern, rate in RULES:
        if found := pattern.search(name):
            return rate * (1 + int(found.group(1))) if found.groups()[0] and found.group(1).isdigit() else rate
    return 1.0


class Block(nn.Module):
    ACTIVATIONS = {Norm.LAYER: F.gelu, Norm.RMS: partial(F.leaky_relu, negative_slope=0.1)}

    def __init__(self, plan: Plan, reduction: Reduction = "mean"):
        super().__init__()
        assert reduction in get_args(Reduction)
        self.plan = plan
        self.reduction = reduction
        self.scale = nn.Parameter(torch.ones(plan.width))
        self.gains = as_list(plan.scales, 3)
        by_order = defaultdict(list)
        for step in ("norm", "act"):
            by_order[plan.order].append(step)
        self.steps = list(chain.from_iterable(by_order[o] for o in Order))
        self.growth = widths(2, 3)
        self.rate = rate_of("blocks.1.scale") * rate_of("head.shift")
        logger.info("made %s", re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower())

    def norm(self, x):
        if self.plan.norm is Norm.LAYER:
            return F.layer_norm(x, x.shape[-1:])
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)

    def forward(self, x):
        with quiet(), contextlib.suppress(KeyError):
            for step in self.steps:
                x = self.norm(x) if step == "norm" else self.ACTIVATIONS[self.plan.norm](x)
        x = x * self.scale * reduce(lambda a, b: a * b, self.gains) * self.rate
        if isinstance(x, (str, int)):
            return x
        if isinstance(x, torch.Tensor) and isinstance(x, Iterable):
            x = x + len([b - a for a, b in pairwise(self.growth)])
        return OrderedDict(stats=Stats(x.mean(-1), x.amax(-1)), out=x)


class Model(nn.Module):
    def __init__(self, width: int = 8):
        super().__init__()
        plan = Plan(width, inner=Plan(width, norm=Norm("layer"), order=Order.POST), scales=(0.5, 2.0, 1.5))
        other = replace(copy.deepcopy(plan.inner), rates={"a": 1.0})
        self.first, self.second = Block(plan), Block(other)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        first = self.first(x)
        second = self.second(first["out"])
        return {"out": second["out"], "peak": first["stats"].peak, "mean": second["stats"].mean}


def get_init_inputs():
    return [8]


def get_inputs():
    return [torch.randn(4, 8)]
