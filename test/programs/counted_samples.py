"""How many samples lie in each bin, of one axis and of two, and where there are any."""
# no gradient: no result has a gradient

import torch


def counted_samples(x):
    rows = x.detach()
    return (
        torch.histogram(rows, 7, range=(-2.0, 2.0)).hist,
        torch.histogramdd(rows[:, :2], [3, 4])[0],
        torch.nonzero_static(x > 0.5, size=50),
    )


def get_inputs():
    return [torch.randn(9, 12)]
