"""Sizes that are shares of others: hard examples, pieces of two tensors, a pool over everything."""

import torch
import torch.nn.functional as F


def hard_examples(x, y, image):
    k = max(1, int(x.shape[1] * 0.3))
    worst, _ = (x - y).abs().topk(k, 1)
    a, b = x.chunk(3, dim=1), y.chunk(3, dim=1)
    halves = x[..., : x.shape[-1] // 2] + y[..., : y.shape[-1] // 2]
    odd = x[:, ::2] * y[:, ::2]
    pooled = F.avg_pool2d(image, (image.size(2), image.size(3)), stride=(image.size(2), image.size(3)))
    peaks = F.max_pool2d(image, (image.size(2), image.size(3)), stride=(image.size(2), image.size(3)))
    return worst.mean(), a[0] + b[0], a[2] - b[2], halves, odd, torch.sigmoid(pooled + peaks)


def get_inputs():
    return [torch.randn(3, 11), torch.randn(3, 11), torch.randn(2, 3, 4, 5)]
