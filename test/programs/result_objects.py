"""Results in dicts of the user's own kind, in objects, and under members of an enumeration."""

# program: step

import dataclasses
import enum
from collections import OrderedDict, defaultdict
from typing import Optional

import torch


class Head(enum.Enum):
    MEAN = "mean"
    SCALE = "scale"


class ModelOutput(OrderedDict):
    """As transformers has it: a dict whose entries are attributes, too."""

    def __post_init__(self):
        for name, value in self.__dict__.items():
            if value is not None:
                self[name] = value

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)


@dataclasses.dataclass
class LossOutput(ModelOutput):
    loss: Optional[torch.Tensor] = None
    logits: Optional[torch.Tensor] = None
    head: Head = Head.MEAN


class Gaussian:
    def __init__(self, mean, log_variance):
        self.mean = mean
        self.deviation = (0.5 * log_variance).exp()

    def entropy(self):
        return self.deviation.log().sum(-1)


class Metrics(dict):
    pass


def step(x, y):
    gaussian = Gaussian(x.mean(-1), y)
    logs = defaultdict(list)
    logs["error"].append((x - y).abs().mean(-1))
    logs["error"].append((x - y).square().mean(-1))
    return {
        Head.MEAN: LossOutput(loss=(x * y).sum(-1), logits=x + y),
        Head.SCALE: gaussian,
        "logs": logs,
        "metrics": Metrics(bias=(x - y).mean(-1)),
    }


def get_inputs():
    return [torch.randn(6, 40), torch.randn(6, 40)]
