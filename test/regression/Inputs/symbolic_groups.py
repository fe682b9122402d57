import torch.nn.functional as F


def by_rows(z, w):
    return F.conv1d(z, w, groups=z.shape[0])


def by_halves(z, w):
    return F.conv1d(z, w, groups=z.shape[0] // 2)
