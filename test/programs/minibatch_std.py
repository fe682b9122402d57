"""The standard deviation over groups as a channel."""

import torch


def minibatch_std(x, group_size: int = 2):
    N, C, H, W = x.shape
    G = group_size
    y = x.reshape(G, -1, 1, C, H, W)
    y = y - y.mean(dim=0)
    y = y.square().mean(dim=0)
    y = (y + 1e-8).sqrt()
    y = y.mean(dim=[2, 3, 4])
    y = y.reshape(-1, 1, 1, 1)
    y = y.repeat(G, 1, H, W)
    return torch.cat([x, y], dim=1)


def get_inputs():
    return [torch.randn(4, 5, 8, 6)]
