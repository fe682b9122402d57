# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of torch.nn.functional (arithmetic.py explains the decorators)."""


def _mode(size_average, reduce, reduction):
    # Two flags of old say the same as `reduction`.
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _reduced(loss, reduction, size_average=None, reduce=None):
    reduction = _mode(size_average, reduce, reduction)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return torch.sum(loss)
    if reduction != "mean":
        raise ValueError(reduction + " is not a valid value for reduction")
    return torch.sum(loss) / loss.numel()


def _same_sizes(input, target, what):
    if not prims.match(input.shape, target.shape):
        raise ValueError(what + " of size " + str(list(target.shape)) + " where the input has size " + str(list(input.shape)))


# --- Distances ------------------------------------------------------------------------------------


def _weighted(loss, weight, input, reduction, size_average=None, reduce=None):
    if weight is None:
        return _reduced(loss, reduction, size_average, reduce)
    _same_sizes(input, weight, "Weights")
    reduction = _mode(size_average, reduce, reduction)
    if reduction == "mean":
        return torch.sum(loss * weight) / torch.sum(weight)
    return _reduced(loss * weight, reduction)


@op("aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    difference = input - target
    return _weighted(difference * difference, weight, input, reduction, size_average, reduce)


@op("aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _weighted(torch.abs(input - target), weight, input, reduction, size_average, reduce)


@op("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", at="F")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    distance = torch.abs(input - target)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    loss = distance
    if beta != 0:
        # An infinite distance keeps its gradient: the square is that of near ones only.
        near = torch.where(distance >= beta, 0.0, distance)
        square = 0.5 * near * near
        if prims.is_symbolic(beta) or beta != 1:
            square = square / beta
        loss = torch.where(distance < beta, square, distance - 0.5 * beta)
    return _reduced(loss, reduction, size_average, reduce)


@op("aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", at="F", dtypes="norm")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    distance = torch.abs(input - target)
    near = torch.where(distance > delta, 0.0, distance)
    loss = torch.where(distance <= delta, 0.5 * near * near, delta * (distance - 0.5 * delta))
    if weight is not None:
        _same_sizes(input, weight, "Weights")
        loss = loss * weight
    return _reduced(loss, reduction)


# --- Probabilities --------------------------------------------------------------------------------


def _elementwise_gradient(grad, input, target):
    # Where a probability is 0 or 1 the quotient is large, and no NaN: PyTorch's bound.
    slope = (input - target) / torch.maximum((1.0 - input) * input, 1e-12)
    return {"input": grad * slope, "target": grad * (torch.log1p(-input) - torch.log(input))}


@op("nereid::binary_cross_entropy(Tensor self, Tensor target) -> Tensor", at="prims", names="elementwise_cross_entropy", dtypes="promote", grad=_elementwise_gradient)
def _elementwise(input, target):
    return -(target * torch.maximum(torch.log(input), -100.0) + (1.0 - target) * torch.maximum(torch.log1p(-input), -100.0))


@op("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor", at="F")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    _same_sizes(input, target, "a target")
    loss = _elementwise(input, target)
    return _reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


@op("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor", at="F", dtypes="second")
def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    _same_sizes(input, target, "a target")
    tail = torch.log1p(torch.exp(-torch.abs(input))) + torch.maximum(-input, 0.0)
    if pos_weight is None:
        loss = (1.0 - target) * input + tail
    else:
        loss = (1.0 - target) * input + (1.0 + (pos_weight - 1.0) * target) * tail
    return _reduced(loss if weight is None else loss * weight, reduction, size_average, reduce)


@op("aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", at="F")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        loss = torch.exp(target) * (target - input)
    else:
        loss = torch.xlogy(target, target) - target * input
    if _mode(size_average, reduce, reduction) == "batchmean":
        return torch.sum(loss) / (input.shape[0] if input.dim() > 0 else 1)
    return _reduced(loss, reduction, size_average, reduce)


@op("aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor", at="F", dtypes="number")
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction="mean"):
    if log_input:
        loss = torch.exp(input) - target * input
    else:
        loss = input - target * torch.log(input + eps)
    if full:
        stirling = target * torch.log(target) - target + 0.5 * torch.log(6.283185307179586 * target)
        loss = loss + torch.where(target <= 1, 0.0, stirling)
    return _reduced(loss, reduction, size_average, reduce)


@op("nereid::gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False, float eps=1e-06, int reduction=Mean) -> Tensor", at="F")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction="mean"):
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch.ones_like(input)
    if var.dim() + 1 == input.dim():
        var = var.unsqueeze(-1)
    if var.dim() != input.dim():
        raise ValueError("var is of incorrect size")
    # The clamp is no part of what autograd sees: small variances have gradients too.
    var = var.clone()
    with torch.no_grad():
        var.clamp_(min=eps)
    distance = input - target
    loss = 0.5 * (torch.log(var) + distance * distance / var)
    if full:
        loss = loss + 0.9189385332046727
    return _reduced(loss, reduction)


@op("nereid::multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor", at="F")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return _reduced(torch.sum(loss, -1) / input.shape[-1], reduction, size_average, reduce)


# --- Margins --------------------------------------------------------------------------------------


@op("aten::soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F", dtypes="norm")
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced(torch.log1p(torch.exp(-target * input)), reduction, size_average, reduce)


@op("aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor", at="F", dtypes="norm")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    near = torch.where(target != -1, input, 0.0)
    far = torch.where(target != 1, torch.clamp(margin - input, 0.0), 0.0)
    return _reduced(near + far, reduction, size_average, reduce)


@op("aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor", at="F", dtypes="number")
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension")
    return _reduced(torch.clamp(margin - target * (input1 - input2), 0.0), reduction, size_average, reduce)


@op("aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor", at="F", dtypes="promote")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    if input1.dim() != target.dim() + 1 or input2.dim() != target.dim() + 1 or target.dim() > 1:
        raise RuntimeError("cosine_embedding_loss: 0D or 1D target tensor expected, and inputs of one dimension more")
    axis = input1.dim() - 1
    scale = (torch.sum(input1 * input1, axis) + 1e-12) * (torch.sum(input2 * input2, axis) + 1e-12)
    cosine = torch.sum(input1 * input2, axis) / torch.sqrt(scale)
    same = torch.where(target == 1, 1.0 - cosine, 0.0)
    other = torch.where(target == -1, torch.clamp(cosine - margin, 0.0), 0.0)
    return _reduced(same + other, reduction, size_average, reduce)


def _triplet(distance, anchor, positive, negative, margin, swap, reduction):
    if margin <= 0:
        raise ValueError("margin must be greater than 0, got " + str(margin))
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return _reduced(torch.clamp(margin + near - far, 0.0), reduction)


@op("aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, int reduction=Mean) -> Tensor", at="F", dtypes="number")
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None, reduction="mean"):
    def distance(x, y):
        return F.pairwise_distance(x, y, p, eps)

    return _triplet(distance, anchor, positive, negative, margin, swap, _mode(size_average, reduce, reduction))


@view(at="F")
def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
    distance = F.pairwise_distance if distance_function is None else distance_function
    return _triplet(distance, anchor, positive, negative, margin, swap, reduction)


def _positive(distance):
    # PyTorch counts what compares as greater: a missing distance does not.
    return torch.where(distance > 0, distance, 0.0)


@op("aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=Mean) -> Tensor", at="F", dtypes="norm")
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if input.dim() == 0:
        input = input.unsqueeze(0)
    if input.dim() == target.dim():
        input = input.unsqueeze(0)
    places = prims.check_index(target, input.shape[-1], "multi_margin_loss").unsqueeze(-1)
    distance = _positive(margin - torch.gather(input, -1, places) + input)
    if p == 2:
        distance = distance * distance
    if weight is not None:
        distance = distance * prims.take(weight, 0, places)
    own = prims.iota(input.shape, input.dim() - 1) == places
    loss = torch.sum(torch.where(own, 0.0, distance), -1) / input.shape[-1]
    return _reduced(loss, reduction, size_average, reduce)


@op("aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", at="F", dtypes="norm")
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    if input.dim() == 0:
        input, target = input.unsqueeze(0), target.reshape([1])
    # The targets of a row end before its first -1.
    listed = torch.cumprod((target >= 0).to(torch.int64), -1) > 0
    places = prims.check_index(torch.where(listed, target, 0), input.shape[-1], "multilabel_margin_loss")
    classes = prims.iota(input.shape, input.dim() - 1)
    is_target = torch.any((places.unsqueeze(-1) == classes.unsqueeze(-2)) & listed.unsqueeze(-1), -2)
    own = torch.gather(input, -1, places)
    distance = _positive(1.0 - own.unsqueeze(-1) + input.unsqueeze(-2))
    counted = listed.unsqueeze(-1) & ~is_target.unsqueeze(-2)
    loss = torch.sum(torch.where(counted, distance, 0.0), (-2, -1)) / input.shape[-1]
    return _reduced(loss, reduction, size_average, reduce)


# --- Classes --------------------------------------------------------------------------------------


def _class_axis(input):
    return 0 if input.dim() == 1 else 1


def _class_weights(weight, input):
    return weight.reshape([-1] + [1] * (input.dim() - 1 - _class_axis(input)))


def _class_loss(log_probs, target, weight, ignore_index, reduction, smoothing=0.0):
    """The loss of class numbers; with `smoothing`, a part of each target is spread over all classes."""
    axis = _class_axis(log_probs)
    kept = target != ignore_index
    places = prims.check_index(torch.where(kept, target, 0), log_probs.shape[axis], "a class of a loss")
    loss = -torch.gather(log_probs, axis, places.unsqueeze(axis)).squeeze(axis)
    own_weight = None if weight is None else prims.take(weight, 0, places)
    if weight is not None:
        loss = loss * own_weight
    if smoothing != 0.0:
        every = log_probs if weight is None else log_probs * _class_weights(weight, log_probs)
        spread = -torch.sum(every, axis)
        loss = (1.0 - smoothing) * loss + smoothing / log_probs.shape[axis] * spread
    loss = torch.where(kept, loss, 0.0)
    if reduction != "mean":
        return _reduced(loss, reduction)
    count = torch.sum(kept) if weight is None else torch.sum(torch.where(kept, own_weight, 0.0))
    return torch.sum(loss) / count


def _probability_loss(log_probs, target, weight, reduction, smoothing):
    """The loss of one probability for each class."""
    axis = _class_axis(log_probs)
    _same_sizes(log_probs, target, "a target")
    if smoothing != 0.0:
        target = target * (1.0 - smoothing) + smoothing / log_probs.shape[axis]
    if weight is not None:
        target = target * _class_weights(weight, log_probs)
    loss = _reduced(-torch.sum(log_probs * target, axis), reduction)
    if reduction != "mean":
        return loss
    # The mean over no classes is NaN, as that over no rows.
    return torch.where(torch.tensor(log_probs.shape[axis]) > 0, loss, float("nan"))


@op("aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor", at="F", dtypes="norm")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    return _class_loss(input, target, weight, ignore_index, _mode(size_average, reduce, reduction))


@op("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) -> Tensor", at="F", dtypes="norm")
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    if label_smoothing < 0.0 or label_smoothing > 1.0:
        raise RuntimeError("label_smoothing must be between 0.0 and 1.0. Got: " + str(label_smoothing))
    reduction = _mode(size_average, reduce, reduction)
    log_probs = F.log_softmax(input, _class_axis(input))
    if target.is_floating_point():
        return _probability_loss(log_probs, target, weight, reduction, label_smoothing)
    return _class_loss(log_probs, target, weight, ignore_index, reduction, label_smoothing)
