"""Average and maximum pooling written as a view and a reduction."""

import torch


def pool_by_view(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).mean(dim=(3, 5)), x.view(n, c, h // 2, 2, w // 2, 2).amax(dim=(3, 5))


def get_inputs():
    return [torch.randn(2, 3, 8, 6)]
