"""EMA of lists of parameters, by foreach functions."""

# no gradient: a write behind autograd's back
import torch


@torch.no_grad()
def ema_foreach(ema, params, decay: float = 0.999):
    torch._foreach_mul_(ema, decay)
    torch._foreach_add_(ema, params, alpha=1 - decay)
    return ema


def get_inputs():
    return [[torch.randn(5), torch.randn(3, 4)], [torch.randn(5), torch.randn(3, 4)]]
