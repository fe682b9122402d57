"""Numbers and flags as arguments."""

import torch


def scalar_arguments(x, alpha: float = 0.5, n: int = 3, flag: bool = True):
    y = x * alpha + n
    if flag:
        y = y**n
    s = torch.tensor(alpha)
    t = x.new_tensor([1.0, 2.0, 3.0])
    u = torch.full_like(x, alpha)
    v = torch.scalar_tensor(2.0)
    return y, s * x, t.sum() * x, u, v + x, x.new_full((2,), 3.0), torch.as_tensor(2) * x


def get_inputs():
    return [torch.randn(5)]
