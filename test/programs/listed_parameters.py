"""A list of the caller's that a call changes, one that is looked at, and one that is spread."""

# program: listed_parameters
# no gradient: is mutated by the program

import torch


def norm_of(*tensors):
    return sum(tensor.square().sum() for tensor in tensors).sqrt()


def listed_parameters(params, grads, buffers):
    scale = 0.1 / (norm_of(*grads) + 1e-6)
    for i, (p, g) in enumerate(zip(params, grads)):
        params[i] = p - scale * g
    if isinstance(buffers, list):
        torch._foreach_mul_(buffers, 0.9)
    return params


def get_inputs():
    return [
        [torch.randn(4), torch.randn(2, 3)],
        (torch.randn(4), torch.randn(2, 3)),
        [torch.randn(4), torch.randn(5)],
    ]
