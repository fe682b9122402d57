import torch
import torch.nn.functional as F


def pooled(x):
    return torch.sigmoid(F.avg_pool2d(x, 4)).sum(dim=(1, 2, 3))
