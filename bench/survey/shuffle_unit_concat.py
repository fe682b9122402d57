"""ShuffleNet V2 unit tail: batch norm and ReLU on the branch, concatenation, channel shuffle, split for the next unit."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ShuffleUnitConcat(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def channel_shuffle(self, x, groups):
        b, c, h, w = x.size()
        x = x.view(b, groups, c // groups, h, w)
        x = torch.transpose(x, 1, 2).contiguous()
        return x.view(b, c, h, w)

    def forward(self, x1, x2):
        out = torch.cat((x1, F.relu(self.bn(x2))), dim=1)
        out = self.channel_shuffle(out, 2)
        left, right = out.chunk(2, dim=1)
        return left, right.contiguous()


def get_init_inputs():
    return [116]


def get_inputs():
    return [torch.randn(256, 116, 28, 28), torch.randn(256, 116, 28, 28)]
