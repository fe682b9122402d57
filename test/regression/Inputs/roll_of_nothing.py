import torch


def rolled(x):
    later = torch.roll(x, 2, -1)
    return later.mean(0, keepdim=True), later.sum(1)
