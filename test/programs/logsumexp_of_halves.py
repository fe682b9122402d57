"""A logsumexp of halves beside another reader of its input: its declared gradient takes the maximum anew."""

import torch


def logsumexp_of_halves(x):
    return torch.sin(x), x.logsumexp(0), x.logsumexp(-1, keepdim=True)


def get_inputs():
    torch.manual_seed(0)
    return [(8 * torch.randn(5, 7)).half()]
