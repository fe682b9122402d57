"""Blocks built from registries that decorators and calls fill."""

import torch
from torch import nn


class Registry:
    def __init__(self, name):
        self._name, self._obj_map = name, {}

    def register(self, obj=None, *, name=None):
        if obj is None:

            def deco(func_or_class):
                key = name or func_or_class.__name__
                assert key not in self._obj_map, (
                    f"An object named '{key}' was already registered in '{self._name}' registry!"
                )
                self._obj_map[key] = func_or_class
                return func_or_class

            return deco
        self._obj_map[name or obj.__name__] = obj
        return obj

    def get(self, name):
        ret = self._obj_map.get(name)
        if ret is None:
            raise KeyError(f"No object named '{name}' found in '{self._name}' registry!")
        return ret

    def __contains__(self, k):
        return k in self._obj_map


ACTS = Registry("act")
NORMS = Registry("norm")


@ACTS.register()
class Swish(nn.Module):
    def forward(self, x):
        return x * x.sigmoid()


@NORMS.register(name="l2")
class L2Norm(nn.Module):
    def __init__(self, n, scale=10.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((n,), scale))

    def forward(self, x):
        return self.weight[None, :, None, None] * x / (x.pow(2).sum(1, keepdim=True).sqrt() + 1e-10)


ACTS.register(nn.GELU, name="gelu")


def build(cfg, registry, **extra):
    cfg = dict(cfg)
    return registry.get(cfg.pop("type"))(**cfg, **extra)


class Block(nn.Module):
    def __init__(self, act={"type": "Swish"}, norm={"type": "l2", "scale": 5.0}):
        super().__init__()
        self.norm = build(norm, NORMS, n=3)
        self.act = build(act, ACTS)
        self.act2 = build({"type": "gelu", "approximate": "tanh"}, ACTS)

    def forward(self, x):
        return self.act2(self.act(self.norm(x)))


# program: Block
def get_inputs():
    return [torch.randn(2, 3, 4, 5)]
