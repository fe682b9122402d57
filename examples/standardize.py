"""Zero mean and unit variance along the last axis, without the affine part."""

import torch


def standardize(x, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps)


def get_inputs():
    return [torch.randn(64, 384)]
