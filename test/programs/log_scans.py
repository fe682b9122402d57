"""Running sums of exponentials whose first terms lie far below the last ones."""

import torch


def log_scans(x, scale: float = 400.0):
    far = x.abs().cumsum(-1) * scale
    return torch.logcumsumexp(far, dim=-1), torch.logcumsumexp(far.flip(0), 0), torch.logcumsumexp(-far, 1)


def get_inputs():
    return [torch.randn(6, 50)]
