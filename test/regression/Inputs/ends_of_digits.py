import torch


def rows_twice(x):
    y = x.repeat_interleave(2, 1)
    return torch.cat([y, y], 1)


def cut_steps(x):
    steps = x[::2]
    scanned = steps.cumsum(0) / 4.0
    weighted = torch.softmax(scanned * 3, 0) * scanned
    return weighted.unflatten(-2, (2, -1))
