import torch
import torch.nn.functional as F


def cropped_join(x, y):
    joined = torch.cat([F.normalize(1 - x, dim=-1, eps=0.1), y], -1)
    return F.pad(joined, (-1, 0)), y - joined


def unused_sizes(x, w):
    return x * (x < 0), w[1:].to(torch.float64).unfold(-1, 2, 1)
