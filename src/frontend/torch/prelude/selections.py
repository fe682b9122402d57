# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds and losses of the elements that a mask selects (Selections.cpp): each is given the mask and all
elements."""


def _kept(mask, input, otherwise):
    mask = mask.reshape(tuple(mask.shape) + (1,) * (input.dim() - mask.dim()))
    return torch.where(mask, input, otherwise)


def _is_of_rows(mask, input, dim):
    """Whether an axis lies within what one place of the mask selects."""
    if isinstance(dim, bool) or not isinstance(dim, int):
        return False
    rows = input.dim() - mask.dim()
    return -rows <= dim < 0 or (mask.dim() == 1 and 1 <= dim <= rows)


def _of_rows(function):
    def along(mask, input, dim, *arguments, **options):
        if _is_of_rows(mask, input, dim):
            return function(input, dim, *arguments, **options)[mask]
        return prims.refuse("this axis of elements that a mask selects is not supported", "use torch.where(mask, a, b)")

    return along


def _axes(mask, input, dim):
    """The axes of all elements that an axis of the selected ones stands for."""
    if isinstance(dim, (tuple, list)) and len(dim) == 1:
        dim = dim[0]
    if dim is None or isinstance(dim, (tuple, list)) and len(dim) == 0:
        return None
    if dim != 0 and dim != mask.dim() - input.dim() - 1:
        prims.refuse("a fold over axis " + str(dim) + " of elements that a mask selects is not supported", "fold before the selection, or use torch.where(mask, a, b)")
    return tuple(range(mask.dim()))


@view()
def masked_select(input, mask):
    input, mask = torch.broadcast_tensors(input, mask)
    return input[mask]


@export(at="prims", names="selected_numel")
def _numel(mask, input, dim=None):
    count = mask.sum()
    if dim is not None:
        return count
    rest = 1
    for axis in range(mask.dim(), input.dim()):
        rest = rest * input.shape[axis]
    return count * rest


@export(at="prims", names="selected_sum")
def _sum(mask, input, dim=None, keepdim=False, dtype=None, out=None):
    if _is_of_rows(mask, input, dim):
        return torch.sum(input, dim, keepdim, dtype=dtype)[mask]
    result = torch.sum(_kept(mask, input, 0), _axes(mask, input, dim), False, dtype=dtype)
    return _kept_axis(result, input, mask, dim, keepdim)


def _kept_axis(result, input, mask, dim, keepdim):
    if not keepdim:
        return result
    return result.unsqueeze(0) if dim is not None else result.reshape((1,) * (input.dim() - mask.dim() + 1))


@export(at="prims", names="selected_mean")
def _mean(mask, input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    if _is_of_rows(mask, input, dim):
        return torch.mean(input, dim, keepdim)[mask]
    axes = _axes(mask, input, dim)
    return _sum(mask, input, dim, keepdim) / _numel(mask, input, axes)


@export(at="prims", names="selected_var")
def _var(mask, input, dim=None, unbiased=None, keepdim=False, correction=None):
    if isinstance(dim, bool):
        unbiased, dim = dim, None
    axes = _axes(mask, input, dim)
    if correction is None:
        correction = 0 if unbiased is False else 1
    count = _numel(mask, input, axes)
    distance = input - torch.sum(_kept(mask, input, 0), axes) / count
    return _sum(mask, distance * distance, dim, keepdim) / torch.clamp(count.to(input.dtype) - correction, min=0)


@export(at="prims", names="selected_std")
def _std(mask, input, dim=None, unbiased=None, keepdim=False, correction=None):
    return torch.sqrt(_var(mask, input, dim, unbiased, keepdim, correction))


@export(at="prims", names="selected_prod")
def _prod(mask, input, dim=None, keepdim=False, dtype=None, out=None):
    if _axes(mask, input, dim) is not None:
        prims.refuse("a product over an axis of elements that a mask selects is not supported", "use torch.where(mask, x, 1)")
    return torch.prod(_kept(mask, input, 1), dtype=dtype)


@export(at="prims", names="selected_any")
def _any(mask, input, dim=None, keepdim=False, out=None):
    return torch.any(_kept(mask, input.bool(), False), _axes(mask, input, dim))


@export(at="prims", names="selected_all")
def _all(mask, input, dim=None, keepdim=False, out=None):
    return torch.all(_kept(mask, input.bool(), True), _axes(mask, input, dim))


@export(at="prims", names="selected_count_nonzero")
def _count_nonzero(mask, input, dim=None):
    return torch.sum(_kept(mask, input != 0, False), _axes(mask, input, dim))


@export(at="prims", names="selected_norm selected_linalg_vector_norm")
def _norm(mask, input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if _is_of_rows(mask, input, dim):
        return torch.norm(input, p, dim, keepdim, dtype=dtype)[mask]
    return torch.norm(_kept(mask, input, 0), p, _axes(mask, input, dim), keepdim and dim is None, dtype=dtype)


def _extreme(mask, input, dim, least):
    if _axes(mask, input, dim) is not None:
        prims.refuse("an extreme over an axis of elements that a mask selects is not supported", "use torch.where(mask, x, -torch.inf)")
    if not input.is_floating_point():
        prims.refuse("an extreme of integers that a mask selects is not supported", "use torch.where(mask, x, least)")
    return _kept(mask, input, -torch.inf if least else torch.inf)


@export(at="prims", names="selected_amax")
def _amax(mask, input, dim=(), keepdim=False, out=None):
    return torch.amax(_extreme(mask, input, dim, True))


@export(at="prims", names="selected_amin")
def _amin(mask, input, dim=(), keepdim=False, out=None):
    return torch.amin(_extreme(mask, input, dim, False))


def _argmax(input, dim, keepdim=False, out=None):
    return torch.argmax(input, dim, keepdim)


def _argmin(input, dim, keepdim=False, out=None):
    return torch.argmin(input, dim, keepdim)


_along_rows = [
    export(at="prims", names="selected_" + name)(_of_rows(function))
    for name, function in (("softmax", F.softmax), ("log_softmax", F.log_softmax), ("logsumexp", torch.logsumexp), ("argmax", _argmax), ("argmin", _argmin))
]


@export(at="prims", names="selected_loss")
def _loss(mask, loss, name, input, target, *arguments, **options):
    if arguments or options.get("weight") is not None or options.get("pos_weight") is not None or options.get("size_average") is not None or options.get("reduce") is not None:
        prims.refuse("this form of a loss of elements that a mask selects is not supported", 'pass reduction="none", and sum torch.where(mask, loss, 0)')
    reduction = options.pop("reduction", "mean")
    if name in ("cross_entropy", "cross_entropy_loss", "nll_loss", "nll_loss_nd"):
        if target.is_floating_point() or target.dim() != mask.dim() or input.dim() != mask.dim() + 1:
            prims.refuse("this form of a loss of elements that a mask selects is not supported", 'pass reduction="none", and sum torch.where(mask, loss, 0)')
        counted = mask & (target != options.get("ignore_index", -100))
        target = torch.where(mask, target, options.get("ignore_index", -100))
        each = loss(input.reshape(-1, input.shape[-1]), target.reshape(-1), reduction="none", **options).reshape(mask.shape)
    else:
        counted = mask
        each = loss(input, target, reduction="none", **options)
    if reduction == "none":
        return each[mask]
    if reduction == "sum":
        return _sum(mask, each)
    if reduction == "batchmean":
        return _sum(mask, each) / mask.sum()
    return _sum(mask, each) / (_numel(mask, each) if counted is mask else counted.sum())
