"""split, chunk and unbind."""

import torch


def splits(x):
    a, b, c = x.split([2, 3, 3], dim=-1)
    d = x.chunk(3, dim=1)
    e = torch.tensor_split(x, (2, 5), dim=1)
    f = x.hsplit(2)
    g, h = torch.split(x, 4, 1)
    i = list(x.unbind(0))
    u = [r * (n + 1) for n, r in enumerate(x)]
    return a * 2, b, c, d, e, f, g + h, i, torch.stack(u)


def get_inputs():
    return [torch.randn(4, 8)]
