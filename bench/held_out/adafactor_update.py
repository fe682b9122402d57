"""The update of Adafactor for a matrix: factored second moment, clipped by its root mean square."""
# surveyed: adafactor_update
# program: adafactor_update
# only forward

import torch


def _rms(tensor):
    return tensor.norm(2) / (tensor.numel() ** 0.5)


def _approx_sq_grad(exp_avg_sq_row, exp_avg_sq_col):
    r_factor = (exp_avg_sq_row / exp_avg_sq_row.mean(dim=-1, keepdim=True)).rsqrt_().unsqueeze(-1)
    c_factor = exp_avg_sq_col.unsqueeze(-2).rsqrt()
    return torch.mul(r_factor, c_factor)


def adafactor_update(grad, exp_avg_sq_row, exp_avg_sq_col, beta2t=0.99, eps=1e-30, clip_threshold=1.0, lr=1e-2):
    update = (grad**2) + eps
    exp_avg_sq_row = exp_avg_sq_row * beta2t + update.mean(dim=-1) * (1.0 - beta2t)
    exp_avg_sq_col = exp_avg_sq_col * beta2t + update.mean(dim=-2) * (1.0 - beta2t)
    update = _approx_sq_grad(exp_avg_sq_row, exp_avg_sq_col)
    update = update * grad
    update = update / (_rms(update) / clip_threshold).clamp(min=1.0)
    return update * lr, exp_avg_sq_row, exp_avg_sq_col


def get_inputs():
    rows, columns = 14336, 9000
    return [torch.randn(rows, columns), torch.rand(rows), torch.rand(columns)]
