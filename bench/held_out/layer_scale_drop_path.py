"""The end of a vision transformer's block: layer scale, stochastic depth, residual."""
# program: BlockEnd
# random

import torch
from torch import nn


def drop_path(x, drop_prob: float = 0.0, training: bool = False, scale_by_keep: bool = True):
    if drop_prob == 0.0 or not training:
        return x
    keep_prob = 1 - drop_prob
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    random_tensor = x.new_empty(shape).bernoulli_(keep_prob)
    if keep_prob > 0.0 and scale_by_keep:
        random_tensor.div_(keep_prob)
    return x * random_tensor


class BlockEnd(nn.Module):
    def __init__(self, dim, init_values=1e-5, drop_prob=0.1):
        super().__init__()
        self.gamma = nn.Parameter(init_values * torch.ones(dim, dtype=torch.bfloat16))
        self.drop_prob = drop_prob

    def forward(self, x, branch):
        return x + drop_path(branch * self.gamma, self.drop_prob, self.training)


def get_inputs():
    shape = (210, 785, 1280)
    return [torch.randn(shape, dtype=torch.bfloat16), torch.randn(shape, dtype=torch.bfloat16)]


def get_init_inputs():
    return [1280]
