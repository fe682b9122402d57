import torch
import torch.nn.functional as F


def twice(y):
    return F.pad(torch.cat([y[:, :, :, :2], y], 3).reshape(y.shape[0], -1), (2, 2, 2, 1))


def replicated(x):
    return F.pad(torch.cat([x, x, x], 1).reshape(x.shape[0], -1), (1, 0), mode="replicate")


def empty(x):
    return F.pad(torch.softmax(x.repeat(1, 2), 1), (0, 1), mode="replicate")
