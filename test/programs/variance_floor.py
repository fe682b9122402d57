"""A Gaussian loss whose variances are raised to a floor that autograd does not see."""

import torch
import torch.nn.functional as F


def variance_floor(mean, log_var, target, w, floor=0.5):
    var = log_var.exp() * w.square()
    with torch.no_grad():
        var.clamp_(min=floor)
        var[:, 0] = 1.0
    loss = 0.5 * (var.log() + (target - mean).square() / var)
    return loss.sum(-1), F.gaussian_nll_loss(mean, target, w.square().expand(mean.shape), eps=0.3)


def get_inputs():
    return [torch.randn(37, 50), torch.randn(37, 50), torch.randn(37, 50), torch.randn(50)]
