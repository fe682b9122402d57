"""cat, stack and their kin."""

import torch


def joins(x, y):
    return (
        torch.cat([x, y], dim=0),
        torch.hstack((x, x)),
        torch.vstack([x, y]),
        torch.dstack([x, x]),
        torch.stack((x, x * 2), dim=-1),
        torch.concat([x, x], -1),
        torch.column_stack((x, x)),
        torch.row_stack((x, y)),
        torch.cat([x.half(), x.long()], 1),
    )


def get_inputs():
    return [torch.randn(3, 4), torch.randn(2, 4)]
