import torch


def cast(x, dtype, twice=None):
    return (x * 2).to(dtype) if twice is None else x.to(twice).to(dtype)


def get_inputs():
    return [torch.randn(4, 8), torch.float16]
