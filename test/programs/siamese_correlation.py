"""A template correlated with a search image, channel by channel, each sample with its own."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def xcorr_depthwise(x, kernel):
    """depthwise cross correlation"""
    batch = kernel.size(0)
    channel = kernel.size(1)
    x = x.view(1, batch * channel, x.size(2), x.size(3))
    kernel = kernel.view(batch * channel, 1, kernel.size(2), kernel.size(3))
    out = F.conv2d(x, kernel, groups=batch * channel)
    out = out.view(batch, channel, out.size(2), out.size(3))
    return out


class DepthwiseRPN(nn.Module):
    def __init__(self, in_channels=3, hidden=4, anchors=2):
        super().__init__()
        self.conv_kernel = nn.Sequential(nn.Conv2d(in_channels, hidden, 3, bias=False), nn.ReLU(inplace=True))
        self.conv_search = nn.Sequential(nn.Conv2d(in_channels, hidden, 3, bias=False), nn.ReLU(inplace=True))
        self.cls = nn.Conv2d(hidden, 2 * anchors, 1)
        self.loc = nn.Conv2d(hidden, 4 * anchors, 1)

    def forward(self, z_f, x_f):
        feature = xcorr_depthwise(self.conv_search(x_f), self.conv_kernel(z_f))
        return self.cls(feature), self.loc(feature)


# program: DepthwiseRPN
def get_inputs():
    return [torch.randn(2, 3, 5, 5), torch.randn(2, 3, 9, 8)]
