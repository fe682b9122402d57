"""Portfolio objective: wealth by cumulative log returns, running peak, drawdown penalties and the Sharpe ratio."""

import math

import torch
import torch.nn.functional as F


def drawdown_loss(weights_raw, returns):
    # position in [-1, 1] times daily return, (paths, days)
    position = torch.tanh(weights_raw)
    turnover = (position[:, 1:] - position[:, :-1]).abs()
    cost = 0.0005 * F.pad(turnover, (1, 0))
    pnl = position * returns - cost
    wealth = torch.exp(torch.cumsum(torch.log1p(pnl), dim=1))
    peak = torch.cummax(wealth, dim=1).values
    drawdown = 1.0 - wealth / peak
    max_dd = drawdown.max(dim=1).values
    ulcer = torch.sqrt(drawdown.pow(2).mean(dim=1) + 1e-8)
    sharpe = math.sqrt(252.0) * pnl.mean(dim=1) / (pnl.std(dim=1) + 1e-6)
    return (max_dd + ulcer - 0.1 * sharpe).mean(), wealth


def get_inputs():
    return [torch.randn(12000, 1260) * 0.5, torch.randn(12000, 1260) * 0.01]
