"""Log probabilities of a squashed Gaussian policy."""

# program: squashed_gaussian

import math

import torch


def log_prob(x, mean, log_std):
    var = (2 * log_std).exp()
    return (-((x - mean) ** 2) / (2 * var) - log_std - 0.5 * math.log(2 * math.pi)).sum(dim=-1)


def squash(a):
    return torch.tanh(a), 2 * (math.log(2) - a - torch.nn.functional.softplus(-2 * a)).sum(-1)


def squashed_gaussian(x, mean, log_std):
    log_std = torch.clamp(log_std, -20, 2)
    act, corr = squash(x)
    return act, log_prob(x, mean, log_std) - corr


def get_inputs():
    return [torch.randn(4, 20), torch.randn(4, 20), torch.randn(4, 20)]
