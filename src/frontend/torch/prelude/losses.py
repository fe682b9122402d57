# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of torch.nn.functional (arithmetic.py explains the decorators)."""


def _reduced(loss, reduction):
    if reduction == "none":
        return loss
    if reduction == "sum":
        return torch.sum(loss)
    if reduction != "mean":
        raise ValueError(reduction + " is not a valid value for reduction")
    return torch.sum(loss) / loss.numel()


@op("aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    distance = input - target
    return _reduced(distance * distance, reduction)


@op("aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _reduced(torch.abs(input - target), reduction)


@op("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", at="F")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    distance = torch.abs(input - target)
    return _reduced(torch.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta), reduction)


@op("aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", at="F")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    distance = torch.abs(input - target)
    return _reduced(torch.where(distance <= delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta)), reduction)


@op("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor", at="F")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    loss = -(target * torch.maximum(torch.log(input), -100.0) + (1.0 - target) * torch.maximum(torch.log1p(-input), -100.0))
    return _reduced(loss if weight is None else loss * weight, reduction)


@op("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor", at="F")
def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    tail = torch.log1p(torch.exp(-torch.abs(input))) + torch.maximum(-input, 0.0)
    if pos_weight is None:
        loss = (1.0 - target) * input + tail
    else:
        loss = (1.0 - target) * input + (1.0 + (pos_weight - 1.0) * target) * tail
    return _reduced(loss if weight is None else loss * weight, reduction)


@op("aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", at="F")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        loss = torch.exp(target) * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    if reduction == "batchmean":
        return torch.sum(loss) / input.shape[0]
    return _reduced(loss, reduction)


def _picked(log_probs, target, ignore_index, weight):
    if weight is not None:
        return prims.refuse("class weights of a loss are not supported yet", "multiply the unreduced loss")
    axis = 0 if log_probs.dim() == 1 else 1
    kept = target != ignore_index
    places = torch.where(kept, target, 0).unsqueeze(axis)
    picked = -torch.gather(log_probs, axis, places).squeeze(axis)
    return torch.where(kept, picked, 0.0), kept


def _class_loss(log_probs, target, weight, ignore_index, reduction):
    picked = _picked(log_probs, target, ignore_index, weight)
    if not isinstance(picked, tuple):
        return picked
    loss, kept = picked
    if reduction == "none":
        return loss
    if reduction == "sum":
        return torch.sum(loss)
    return torch.sum(loss) / torch.sum(kept)


@op("aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor", at="F", dtypes="first")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    return _class_loss(input, target, weight, ignore_index, reduction)


@op("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor", at="F", dtypes="first")
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    if target.is_floating_point() or label_smoothing != 0.0:
        return prims.refuse("cross_entropy with class probabilities or label smoothing is not supported yet", "write the loss from log_softmax")
    return _class_loss(F.log_softmax(input, 0 if input.dim() == 1 else 1), target, weight, ignore_index, reduction)
