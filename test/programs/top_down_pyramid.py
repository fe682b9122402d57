"""Lateral 1x1 and smoothing 3x3 convolutions over three levels, from the top down (FPN)."""

from collections import OrderedDict
from typing import Dict, List

import torch
import torch.nn.functional as F
from torch import nn, Tensor


class FeaturePyramidNetwork(nn.Module):
    def __init__(self, in_channels_list: List[int], out_channels: int):
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        for in_channels in in_channels_list:
            if in_channels == 0:
                raise ValueError("in_channels=0 is currently not supported")
            self.inner_blocks.append(nn.Conv2d(in_channels, out_channels, 1))
            self.layer_blocks.append(nn.Conv2d(out_channels, out_channels, 3, padding=1))
        for m in self.children():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_uniform_(m.weight, a=1)

    def forward(self, x: Dict[str, Tensor]) -> Dict[str, Tensor]:
        # unpack OrderedDict into two lists for easier handling
        names = list(x.keys())
        x = list(x.values())

        last_inner = self.inner_blocks[-1](x[-1])
        results = []
        results.append(self.layer_blocks[-1](last_inner))
        for idx in range(len(x) - 2, -1, -1):
            inner_lateral = self.inner_blocks[idx](x[idx])
            feat_shape = inner_lateral.shape[-2:]
            inner_top_down = F.interpolate(last_inner, size=feat_shape, mode="nearest")
            last_inner = inner_lateral + inner_top_down
            results.insert(0, self.layer_blocks[idx](last_inner))
        return OrderedDict([(k, v) for k, v in zip(names, results)])


def get_inputs():
    return [
        {"feat0": torch.randn(2, 2, 8, 8), "feat1": torch.randn(2, 3, 4, 4), "feat2": torch.randn(2, 4, 2, 2)},
    ]


def get_init_inputs():
    return [[2, 3, 4], 4]
