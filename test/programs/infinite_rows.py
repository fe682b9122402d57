"""Rows with NaN, infinities and negative zeros under everything that compares or folds."""

import math

import torch
import torch.nn.functional as F


def f(x):
    return (
        x.sum(-1),
        x.nansum(-1),
        x.nanmean(-1),
        x.max(-1).values,
        x.amax(-1),
        x.argmax(-1),
        x.argmin(-1),
        x.min(-1)[1],
        torch.fmax(x, x.flip(-1)),
        torch.maximum(x, x.flip(-1)),
        x.cummax(-1),
        x.logsumexp(-1),
        x.softmax(-1),
        x.prod(-1),
        x.norm(dim=-1),
        x.nan_to_num(nan=1.0, posinf=5.0, neginf=-5.0),
        x.nan_to_num(),
        x.clamp(-1, 1),
        x.clamp(min=float("nan")),
        torch.sign(x),
        x.relu(),
        F.gelu(x),
        F.softplus(x),
        F.hardtanh(x),
        x.median(-1).values,
        x.nanmedian(-1).values,
        x.sort(-1).values,
        x.round(decimals=1),
        x.isnan().sum(),
        x == x,
        torch.isclose(x, x, equal_nan=True),
        x.std(-1),
        x.logcumsumexp(-1),
        x.any(-1),
    )


def get_inputs():
    x = torch.randn(8, 6)
    x[0, 2] = math.nan
    x[1, 3] = math.inf
    x[2, 1] = -math.inf
    x[3, 0], x[3, 4] = math.inf, -math.inf
    x[4] = -math.inf
    x[5, 5] = -0.0
    x[6] = math.nan
    return [x]
