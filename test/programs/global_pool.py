"""Global average and maximum pooling."""

import torch
import torch.nn.functional as F


def global_pool(x):
    return F.adaptive_avg_pool2d(x, 1).flatten(1), F.adaptive_max_pool2d(x, (1, 1))


def get_inputs():
    return [torch.randn(2, 3, 8, 6)]
