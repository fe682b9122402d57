"""A U-Net of three levels: what is pooled twice and scaled up once lies beside what was pooled once."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Double(nn.Sequential):
    def __init__(self, inner, outer):
        super().__init__(nn.Conv2d(inner, outer, 3, padding=1), nn.ReLU())


class SkipOverPools(nn.Module):
    def __init__(self, width=2):
        super().__init__()
        self.down = nn.ModuleList([Double(1, width), Double(width, 2 * width)])
        self.middle = Double(2 * width, 4 * width)
        self.raises = nn.ModuleList([nn.ConvTranspose2d(4 * width, 2 * width, 2, 2), nn.ConvTranspose2d(2 * width, width, 2, 2)])
        self.up = nn.ModuleList([Double(4 * width, 2 * width), Double(2 * width, width)])

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for lift, block in zip(self.raises, self.up):
            x = block(torch.cat([skips.pop(), lift(x)], dim=1))
        return x


# program: SkipOverPools
def get_inputs():
    return [torch.randn(2, 1, 4, 8)]
