"""Antialiased downsampling: a fixed binomial kernel, strided, behind a padding."""

# open proofs: backward

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class BlurPool(nn.Module):
    def __init__(self, channels=4, filt_size=4, stride=2):
        super().__init__()
        self.stride = stride
        self.channels = channels
        self.pad_sizes = [
            int(1.0 * (filt_size - 1) / 2),
            int(np.ceil(1.0 * (filt_size - 1) / 2)),
            int(1.0 * (filt_size - 1) / 2),
            int(np.ceil(1.0 * (filt_size - 1) / 2)),
        ]
        self.pad = nn.ReflectionPad2d(self.pad_sizes)
        a = torch.tensor({3: [1.0, 2.0, 1.0], 4: [1.0, 3.0, 3.0, 1.0]}[filt_size])
        filt = a[:, None] * a[None, :]
        filt = filt / torch.sum(filt)
        self.register_buffer("filt", filt[None, None, :, :].repeat((self.channels, 1, 1, 1)))
        self.conv = nn.Conv2d(3, channels, 3, padding=1)

    def forward(self, inp):
        inp = torch.relu(self.conv(inp))
        inp = F.max_pool2d(inp, kernel_size=2, stride=1)
        return F.conv2d(self.pad(inp), self.filt, stride=self.stride, groups=inp.shape[1])


def get_inputs():
    return [torch.randn(2, 3, 9, 8)]
