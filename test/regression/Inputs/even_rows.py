import torch


def even_rows(x):
    y = x + 1
    y[::2] *= 0.5
    return y


def get_inputs():
    return [torch.randn(9, 5)]
