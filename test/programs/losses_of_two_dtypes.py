# only forward: PyTorch differentiates some of them for one dtype only
"""Losses of an input and a target of different dtypes: each has a rule of its own for its result."""

import torch
import torch.nn.functional as F


def losses(x, y):
    results = []
    for a, b in ((x, y), (y, x)):
        results.append(F.binary_cross_entropy_with_logits(a, torch.sigmoid(b).detach()))
        results.append(
            F.binary_cross_entropy_with_logits(a, torch.sigmoid(b).detach(), weight=a.detach().abs(), reduction="none")
        )
        results.append(F.mse_loss(a, b))
        results.append(F.l1_loss(a, b, reduction="sum"))
        results.append(F.smooth_l1_loss(a, b))
        results.append(F.huber_loss(a, b, delta=0.5))
        results.append(F.soft_margin_loss(a, torch.sign(b).detach(), reduction="none"))
        results.append(F.kl_div(a, torch.sigmoid(b), reduction="batchmean"))
        results.append(F.poisson_nll_loss(a, torch.sigmoid(b)))
        results.append(F.gaussian_nll_loss(a, b, torch.sigmoid(a)))
        results.append(F.margin_ranking_loss(a[:, 0], b[:, 0], torch.sign(a[:, 1])))
        results.append(F.hinge_embedding_loss(a, torch.sign(b)))
    return tuple(results)


def get_inputs():
    return [torch.randn(4, 6), torch.randn(4, 6, dtype=torch.bfloat16)]
