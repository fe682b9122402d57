"""Spellings of older code: Variable, typed tensors, axis= for dim=, notes on parameters, in-place views of copies."""

# program: Marked

import math

import torch
from torch import nn
from torch.autograd import Variable


class Marked(nn.Module):
    def __init__(self):
        super().__init__()
        self.A_log = nn.Parameter(torch.zeros(5))
        self.A_log._no_weight_decay = True
        self.decays = not getattr(self.A_log, "_no_weight_decay", False)

    def forward(self, x, ids, weights):
        x = x * Variable(x).sign() * (1.0 if self.decays else self.A_log + 1)
        low = x.min(axis=1, keepdims=True)[0] + torch.max(x, axis=1, keepdim=True)[0] + torch.median(x, axis=1, keepdim=True)[0]
        places = x.detach().abs().type(torch.LongTensor)
        wide = x.to(float) + torch.zeros(5, dtype=float)
        tops = [x.clone(), low.clone()]
        torch._foreach_maximum_(tops, [low, x.mean(1, keepdim=True)])
        rows = x.clone().unsqueeze_(1)
        counts = weights.new_zeros(12).index_add(0, ids.view(-1) % 12, weights.view(-1))
        return low, places, wide, tops, rows, counts, torch.logsumexp(x, 0) - math.log(x.shape[0])


def get_inputs():
    return [torch.randn(4, 5), torch.randint(0, 12, (2, 6)), torch.rand(2, 6)]
