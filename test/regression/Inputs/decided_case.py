import torch


def last_of_two(x):
    y = (x * 2).flip(0)
    return torch.cat([y[:2], y]).select(0, -1)
