"""repeat, tile and expand."""

import torch


def repeats(x):
    return (
        x.repeat(2, 3),
        torch.tile(x, (2, 1, 2)),
        x.repeat_interleave(3, dim=0),
        torch.repeat_interleave(x, 2),
        x.expand(3, -1, -1),
        x[None].expand(2, *x.shape),
        torch.broadcast_to(x, (2, 3, 4)),
    )


def get_inputs():
    return [torch.randn(3, 4)]
