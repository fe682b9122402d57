import torch.nn.functional as F


def f(x):
    return F.max_pool2d(x, 5, 1, 2)
