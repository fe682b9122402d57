"""Sizes in every spelling: halves, quarters, pads to a multiple, joins split again."""

import torch
import torch.nn.functional as F


def f(x, y, w):
    b, n, c = x.shape
    m = y.shape[1]
    g = x.reshape(b, n // 4, 4, c).mean(2)
    z = g.repeat_interleave(4, dim=1) + x
    u = torch.cat([x, y], 1)
    a, v = u.split([n, m], 1)
    q = F.pad(x, (0, 0, 0, -n % 8)).reshape(b, -1, 8, c).sum(2)
    h = x[:, : n // 2] * x[:, n // 2 :]
    k = w.view(2, -1) + x.flatten(1).view(b, 2, -1)[0, :, : w.numel() // 2]
    return z, a + v.mean(1, keepdim=True), q, h, k, x.view(b * n, c) * y.new_ones(b, n, c).view(-1, c)


def get_inputs():
    return [torch.randn(2, 8, 4), torch.randn(2, 5, 4), torch.randn(12)]
