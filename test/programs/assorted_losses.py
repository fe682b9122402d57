"""Losses of torch.nn.functional in one program."""

# only forward: PyTorch refuses a gradient of the target

import torch
import torch.nn.functional as F


def assorted_losses(x, y, t):
    s = t * 2.0 - 1.0
    return (
        F.soft_margin_loss(x, s),
        F.hinge_embedding_loss(x, s, margin=0.5),
        F.margin_ranking_loss(x, y, s, margin=0.1),
        F.poisson_nll_loss(x, y.abs()),
        F.poisson_nll_loss(x.abs(), y.abs(), log_input=False, full=True),
        F.gaussian_nll_loss(x, y, x.abs() + 0.1),
        F.multilabel_soft_margin_loss(x, t),
        F.l1_loss(x, y, reduction="none"),
        F.mse_loss(x, y, reduction="sum"),
        F.huber_loss(x, y, reduction="sum", delta=0.3),
        F.smooth_l1_loss(x, y, beta=0.0),
    )


def get_inputs():
    return [torch.randn(6, 9), torch.randn(6, 9), torch.randint(0, 2, (6, 9)).float()]
