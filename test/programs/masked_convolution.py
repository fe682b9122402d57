"""Convolutions that see what is above and to the left (PixelCNN), their weights times a mask."""

import torch
from torch import nn
import torch.nn.functional as F


class MaskedConv2d(nn.Conv2d):
    def __init__(self, mask_type, *args, **kwargs):
        super().__init__(*args, **kwargs)
        assert mask_type in {"A", "B"}
        self.register_buffer("mask", self.weight.data.clone())
        _, _, kH, kW = self.weight.size()
        self.mask.fill_(1)
        self.mask[:, :, kH // 2, kW // 2 + (mask_type == "B") :] = 0
        self.mask[:, :, kH // 2 + 1 :] = 0

    def forward(self, x):
        return F.conv2d(x, self.weight * self.mask, self.bias, self.stride, self.padding, self.dilation, self.groups)


class PixelCNN(nn.Module):
    def __init__(self, fm=4, levels=5):
        super().__init__()
        self.net = nn.Sequential(
            MaskedConv2d("A", 1, fm, 5, 1, 2, bias=False),
            nn.BatchNorm2d(fm),
            nn.ReLU(True),
            MaskedConv2d("B", fm, fm, 3, 1, 1, bias=False),
            nn.ReLU(True),
            nn.Conv2d(fm, levels, 1),
        )

    def forward(self, x, target):
        logits = self.net(x)
        return F.cross_entropy(logits, target), logits


# program: PixelCNN
def get_inputs():
    return [torch.rand(2, 1, 6, 6), torch.randint(0, 5, (2, 6, 6))]
