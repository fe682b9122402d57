import torch.nn.functional as F


def f(x, y):
    return F.interpolate(x, scale_factor=2), F.interpolate(y, size=(2 * y.shape[2], 3 * y.shape[3]))
