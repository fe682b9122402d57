import torch


def scanned(x):
    y = x.cumsum(0)
    x.add_(1)
    return y


def logarithms(x):
    y = x.logcumsumexp(0)
    x.add_(1)
    return y


def differences(x):
    y = x.diff(n=0)
    x.add_(1)
    return y


def get_inputs():
    return [torch.tensor(1.5)]
