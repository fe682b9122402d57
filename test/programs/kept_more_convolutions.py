"""Every other convolution that can be left to PyTorch, as functions and as modules."""

# options: --keep-torch conv1d,conv3d,conv_transpose1d,conv_transpose2d,conv_transpose3d,bilinear,linear

import torch
import torch.nn.functional as F
from torch import nn


class KeptMoreConvolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2)
        self.back = nn.ConvTranspose1d(6, 4, 4, stride=2, padding=1, output_padding=1)
        self.wide = nn.ConvTranspose2d(2, 4, (3, 2), stride=(2, 1), groups=2)
        self.volume = nn.Conv3d(2, 3, (1, 2, 3), padding="valid")
        self.pair = nn.Bilinear(5, 5, 2, bias=False)
        self.mix = nn.Linear(5, 3)

    def forward(self, x, image, volume):
        weight = self.volume.weight
        results = [
            self.back(F.silu(self.line(x))),
            self.wide(image),
            self.volume(volume),
            F.conv_transpose3d(F.relu(self.volume(volume)), weight, stride=1),
            self.pair(image, image),
            self.mix(image),
        ]
        return [result * 2 for result in results]


def get_inputs():
    return [torch.randn(2, 4, 9), torch.randn(1, 2, 4, 5), torch.randn(1, 2, 3, 4, 5)]
