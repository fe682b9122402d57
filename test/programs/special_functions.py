"""Special functions."""

import torch


def special_functions(x):
    s = torch.tensor([float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1e30])
    y = torch.cat([x, s.expand(x.shape[0], 6)], 1)
    return (
        y.amax(1),
        y.amin(1),
        y.max(1),
        y.argmin(1),
        y.clamp(-1, 1),
        torch.relu(y),
        torch.sign(y),
        y.sum(1),
        torch.nan_to_num(y),
        y.isnan(),
        torch.maximum(y, y.flip(1)),
        y.cummax(1),
        y.softmax(0),
        torch.sigmoid(y),
        torch.tanh(y),
        y.nansum(1),
        y == y,
        y.floor(),
        y.to(torch.bool),
        torch.logaddexp(y, y),
        y.logsumexp(1),
        y.any(1),
        torch.fmax(y, x[:, :1]),
        torch.where(y > 0, y, -1.0),
        torch.nn.functional.softplus(y),
        torch.nn.functional.elu(y),
        torch.nn.functional.hardtanh(y),
        torch.nn.functional.silu(y),
        y % 2.0,
        torch.copysign(x[:, :1], y),
    )


def get_inputs():
    return [torch.randn(5, 9)]
