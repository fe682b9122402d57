"""Bilinear pooling of two feature maps with a signed root."""

import torch
import torch.nn.functional as F


def bilinear_pool(x, y):
    n, c, h, w = x.shape
    z = torch.einsum("nchw,ndhw->ncd", x, y) / (h * w)
    z = z.reshape(n, -1)
    z = torch.sign(z) * torch.sqrt(torch.abs(z) + 1e-5)
    return F.normalize(z)


def get_inputs():
    return [torch.randn(2, 3, 4, 4), torch.randn(2, 5, 4, 4)]
