"""Adafactor step for one matrix: factored second moments, update clipping by RMS, parameter-scaled rate, weight decay."""

# only forward

import torch


def adafactor_update(param, grad, row_avg, col_avg):
    eps1, eps2, clip, beta2t, rho, weight_decay = 1e-30, 1e-3, 1.0, 0.99, 1e-2, 0.01
    sq = grad * grad + eps1
    row_avg = row_avg * beta2t + (1.0 - beta2t) * sq.mean(dim=-1)
    col_avg = col_avg * beta2t + (1.0 - beta2t) * sq.mean(dim=-2)
    r_factor = (row_avg / row_avg.mean(dim=-1, keepdim=True)).rsqrt().unsqueeze(-1)
    c_factor = col_avg.unsqueeze(-2).rsqrt()
    update = grad * r_factor * c_factor
    rms = update.norm(2) / (update.numel() ** 0.5)
    update = update / (rms / clip).clamp(min=1.0)
    lr = rho * (param.norm(2) / (param.numel() ** 0.5)).clamp(min=eps2)
    param = param - weight_decay * lr * param - lr * update
    return param, row_avg, col_avg


def get_inputs():
    rows, cols = 30522, 1152
    return [
        torch.randn(rows, cols) * 0.02,
        torch.randn(rows, cols) * 0.001,
        torch.rand(rows) * 1e-6 + 1e-8,
        torch.rand(cols) * 1e-6 + 1e-8,
    ]
