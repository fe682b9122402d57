import torch
import torch.nn.functional as F


def summed(x, w):
    scattered = x.new_zeros(x.shape).scatter_add(-2, w, x)
    return torch.cat([x, scattered], -2).logsumexp((0, 1), keepdim=True)


def gathered(x, z, w):
    parts = (torch.cat([x, x, x], 3) + 0).var(1, unbiased=False)
    return F.layer_norm(x, (x.shape[-1],), w), parts.gather(-1, z)
