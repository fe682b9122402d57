"""Weights standardised over all but their first axis."""

import torch


def weight_standardization(w, eps=1e-5):
    var, mean = torch.var_mean(w, dim=[1, 2, 3], keepdim=True, unbiased=False)
    return (w - mean) / (var + eps).sqrt()


def get_inputs():
    return [torch.randn(8, 3, 3, 3)]
