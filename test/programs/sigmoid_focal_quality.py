"""Quality and varifocal losses of dense detectors."""

# program: sigmoid_focal_quality

import functools

import torch
import torch.nn.functional as F


def weight_reduce_loss(loss, weight=None, reduction="mean", avg_factor=None):
    if weight is not None:
        loss = loss * weight
    if avg_factor is None:
        return {"mean": torch.mean, "sum": torch.sum, "none": lambda t: t}[reduction](loss)
    if reduction == "mean":
        eps = torch.finfo(torch.float32).eps
        return loss.sum() / (avg_factor + eps)
    elif reduction != "none":
        raise ValueError('avg_factor can not be used with reduction="sum"')
    return loss


def weighted_loss(loss_func):
    @functools.wraps(loss_func)
    def wrapper(pred, target, weight=None, reduction="mean", avg_factor=None, **kwargs):
        loss = loss_func(pred, target, **kwargs)
        return weight_reduce_loss(loss, weight, reduction, avg_factor)

    return wrapper


@weighted_loss
def varifocal_loss(pred, target, alpha=0.75, gamma=2.0, iou_weighted=True):
    pred_sigmoid = pred.sigmoid()
    target = target.type_as(pred)
    if iou_weighted:
        focal_weight = (
            target * (target > 0.0).float() + alpha * (pred_sigmoid - target).abs().pow(gamma) * (target <= 0.0).float()
        )
    else:
        focal_weight = (target > 0.0).float()
    return F.binary_cross_entropy_with_logits(pred, target, reduction="none") * focal_weight


def sigmoid_focal_quality(pred, target, weight):
    return varifocal_loss(pred, target, weight, avg_factor=7.0), varifocal_loss(
        pred, target, reduction="sum", gamma=1.5
    )


def get_inputs():
    return [torch.randn(9, 5), torch.rand(9, 5) * (torch.rand(9, 5) > 0.5), torch.rand(9, 5)]
