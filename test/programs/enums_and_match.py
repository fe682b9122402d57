"""Enums, match, logging and warnings."""

# program: enums_and_match

import enum
import logging
import warnings

import torch

logger = logging.getLogger(__name__)


class Reduction(enum.Enum):
    NONE = "none"
    MEAN = "mean"
    SUM = "sum"


class Kind(str, enum.Enum):
    L1 = "l1"
    L2 = "l2"


def reduce(x, how):
    match how:
        case Reduction.NONE:
            return x
        case Reduction.MEAN:
            return x.mean()
        case Reduction.SUM:
            return x.sum()
        case _:
            raise ValueError(how)


def enums_and_match(pred, target, kind: Kind = Kind.L2):
    logger.info("shape %s", pred.shape)
    logger.warning_once("x") if hasattr(logger, "warning_once") else None
    warnings.warn("deprecated", DeprecationWarning, stacklevel=2)
    print("debug", pred.shape)
    if (n := pred.shape[-1]) > 4 and kind is Kind.L2:
        e = (pred - target) ** 2
    else:
        e = (pred - target).abs()
    match (kind.value, n):
        case ("l2", size):
            e = e * size
        case (str(), _):
            pass
    return reduce(e, Reduction.MEAN), reduce(e, Reduction("none"))


def get_inputs():
    return [torch.randn(4, 8), torch.randn(4, 8)]
