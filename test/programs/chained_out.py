"""Results written into arguments by out=."""

# no gradient: is mutated by the program

import torch


def chained_out(x, y, out, out2):
    torch.add(x, y, out=out)
    torch.mul(out, 2.0, out=out)
    torch.sum(x, dim=-1, out=out2)
    torch.exp(x, out=out)
    torch.clamp(out, 0, 1, out=out)
    return out.sum() + out2.mean()


def get_inputs():
    return [torch.randn(4, 7), torch.randn(4, 7), torch.zeros(4, 7), torch.zeros(4)]
