"""What copies, and what is the very tensor: writes tell them apart."""

import torch


def copies(x):
    copied = x.to(torch.float32, copy=True)
    positional = x.to(torch.float32, False, True)
    new = x.new_tensor(x)
    same = x * 2
    torch.as_tensor(same).add_(1)
    copied.add_(1)
    positional.mul_(3)
    new.sub_(1)
    back = torch.zeros(x.shape[1], x.shape[0]).t().t()
    return x + 0, copied, positional, new, same, back + back.is_contiguous()


def get_inputs():
    return [torch.randn(4, 5)]
