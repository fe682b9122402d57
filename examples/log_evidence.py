"""The logarithm of the running mean of likelihoods whose logarithms are far apart."""

import torch


def log_evidence(score):
    count = torch.arange(1, score.shape[-1] + 1, device=score.device)
    return torch.logcumsumexp(score, dim=-1) - torch.log(count)


def get_inputs():
    return [torch.randn(12, 300).cumsum(-1) * 10 - 150]
