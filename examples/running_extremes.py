"""Drawdown of a series: how far it lies below its running maximum, and since when."""

import torch


def running_extremes(price):
    peak, since = price.cummax(dim=-1)
    drawdown = (peak - price) / peak
    age = torch.arange(price.shape[-1]) - since
    return drawdown, age, drawdown.amax(dim=-1), torch.cummin(price, dim=-1).values


def get_inputs():
    return [torch.rand(6, 200) + 0.5]
