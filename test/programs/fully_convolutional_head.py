"""Scores of three strides added by transposed convolutions with an output size (FCN-8s)."""


import torch
import torch.nn as nn


class FCNHead(nn.Module):
    def __init__(self, n_class=3):
        super().__init__()
        self.score_pool3 = nn.Conv2d(2, n_class, 1)
        self.score_pool4 = nn.Conv2d(4, n_class, 1)
        self.score_fr = nn.Conv2d(6, n_class, 1)
        self.upscore2 = nn.ConvTranspose2d(n_class, n_class, 4, stride=2, bias=False)
        self.upscore_pool4 = nn.ConvTranspose2d(n_class, n_class, 3, stride=2, padding=1, bias=False)
        self.upscore8 = nn.ConvTranspose2d(n_class, n_class, 8, stride=4, bias=False, groups=n_class)

    def forward(self, x, pool3, pool4, pool5):
        h = self.upscore2(self.score_fr(pool5))
        upscore2 = h  # 1/16
        h = self.score_pool4(pool4 * 0.01)
        h = h[:, :, 1 : 1 + upscore2.size()[2], 1 : 1 + upscore2.size()[3]]
        h = upscore2 + h
        h = self.upscore_pool4(h, output_size=pool3.size()[2:])
        h = h + self.score_pool3(pool3 * 0.0001)
        h = self.upscore8(h)
        return h[:, :, 2 : 2 + x.size()[2], 2 : 2 + x.size()[3]].contiguous()


def get_inputs():
    return [torch.randn(1, 3, 40, 36), torch.randn(1, 2, 12, 11), torch.randn(1, 4, 7, 7), torch.randn(1, 6, 2, 2)]
