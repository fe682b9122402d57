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
    return -rows <= dim < 0 or 1 <= dim <= rows


def _from_last(mask, input, dim):
    """An axis within the rows, counted as all elements count it too."""
    return dim if dim < 0 else dim - (input.dim() - mask.dim()) - 1


def _fold(names, whole=None):
    """Registers a fold of selected elements; along an axis within their rows it is `whole`, selected afterwards."""

    def register(function):
        def fold(mask, input, dim=None, *arguments, **options):
            if whole is not None and _is_of_rows(mask, input, dim):
                return whole(input, _from_last(mask, input, dim), *arguments, **options)[mask]
            return function(mask, input, dim, *arguments, **options)

        export(at="prims", names=" ".join("selected_" + name for name in names.split()))(fold)
        return function

    return register


def _plain(fold):
    def along(input, dim, keepdim=False, out=None):
        return fold(input, dim, keepdim)

    return along


def _typed(fold):
    def along(input, dim, keepdim=False, dtype=None, out=None):
        return fold(input, dim, keepdim, dtype=dtype)

    return along


def _within_rows(whole):
    def fold(mask, input, dim, *arguments, **options):
        elements = _settled(mask, input)
        if elements is None:
            return prims.refuse("this axis of elements that a mask selects is not supported", "use torch.where(mask, a, b)")
        return whole(elements, dim, *arguments, **options)

    return fold


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


@_fold("sum", _typed(torch.sum))
def _sum(mask, input, dim=None, keepdim=False, dtype=None, out=None):
    result = torch.sum(_kept(mask, input, 0), _axes(mask, input, dim), False, dtype=dtype)
    return _kept_axis(result, input, mask, dim, keepdim)


def _kept_axis(result, input, mask, dim, keepdim):
    if not keepdim:
        return result
    return result.unsqueeze(0) if dim is not None else result.reshape((1,) * (input.dim() - mask.dim() + 1))


@_fold("mean", _typed(torch.mean))
def _mean(mask, input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    axes = _axes(mask, input, dim)
    return _sum(mask, input, dim, keepdim) / _numel(mask, input, axes)


@_fold("var", torch.var)
def _var(mask, input, dim=None, unbiased=None, keepdim=False, correction=None):
    if isinstance(dim, bool):
        unbiased, dim = dim, None
    axes = _axes(mask, input, dim)
    if correction is None:
        correction = 0 if unbiased is False else 1
    count = _numel(mask, input, axes)
    distance = input - torch.sum(_kept(mask, input, 0), axes) / count
    return _sum(mask, distance * distance, dim, keepdim) / torch.clamp(count.to(input.dtype) - correction, min=0)


@_fold("std", torch.std)
def _std(mask, input, dim=None, unbiased=None, keepdim=False, correction=None):
    return prims.standard_deviation(_var(mask, input, dim, unbiased, keepdim, correction))


@_fold("prod", _typed(torch.prod))
def _prod(mask, input, dim=None, keepdim=False, dtype=None, out=None):
    if _axes(mask, input, dim) is not None:
        prims.refuse("a product over an axis of elements that a mask selects is not supported", "use torch.where(mask, x, 1)")
    return torch.prod(_kept(mask, input, 1), dtype=dtype)


@_fold("any", _plain(torch.any))
def _any(mask, input, dim=None, keepdim=False, out=None):
    return torch.any(_kept(mask, input.bool(), False), _axes(mask, input, dim))


@_fold("all", _plain(torch.all))
def _all(mask, input, dim=None, keepdim=False, out=None):
    return torch.all(_kept(mask, input.bool(), True), _axes(mask, input, dim))


@_fold("count_nonzero", torch.count_nonzero)
def _count_nonzero(mask, input, dim=None):
    return torch.sum(_kept(mask, input != 0, False), _axes(mask, input, dim))


@export(at="prims", names="selected_norm selected_linalg_vector_norm")
def _norm(mask, input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if _is_of_rows(mask, input, dim):
        return torch.norm(input, p, _from_last(mask, input, dim), keepdim, dtype=dtype)[mask]
    return torch.norm(_kept(mask, input, 0), p, _axes(mask, input, dim), keepdim and dim is None, dtype=dtype)


def _extreme(mask, input, dim, bound):
    if _axes(mask, input, dim) is not None:
        prims.refuse("an extreme over an axis of elements that a mask selects is not supported", "use torch.where(mask, x, -torch.inf)")
    if input.is_floating_point():
        return _kept(mask, input, -torch.inf if bound == "min" else torch.inf)
    if input.dtype == torch.bool:
        return _kept(mask, input, bound == "max")
    return _kept(mask, input, getattr(torch.iinfo(input.dtype), bound))


@_fold("amax", _plain(torch.amax))
def _amax(mask, input, dim=None, keepdim=False, out=None):
    return torch.amax(_extreme(mask, input, dim, "min"))


@_fold("amin", _plain(torch.amin))
def _amin(mask, input, dim=None, keepdim=False, out=None):
    return torch.amin(_extreme(mask, input, dim, "max"))


@_fold("max")
def _max(mask, input, dim=None, keepdim=False, out=None):
    if dim is not None:
        prims.refuse("an extreme with its place among elements that a mask selects is not supported", "use amax, or torch.where(mask, x, -torch.inf)")
    return torch.max(_extreme(mask, input, dim, "min"))


@_fold("min")
def _min(mask, input, dim=None, keepdim=False, out=None):
    if dim is not None:
        prims.refuse("an extreme with its place among elements that a mask selects is not supported", "use amin, or torch.where(mask, x, torch.inf)")
    return torch.min(_extreme(mask, input, dim, "max"))


@export(at="prims", names="selected_index_add")
def _index_add(mask, input, dim, index, source, alpha=1):
    if dim not in (0, -input.dim()) or index.dim() != mask.dim() or source.dim() != input.dim() + mask.dim() - 1 or tuple(source.shape[: mask.dim()]) != tuple(mask.shape):
        prims.refuse("adding other rows than those that a mask selects, or along another axis than the first one, is not supported", "use out[mask] += value")
    axis = prims.axis_of_places(input, mask, index)
    if axis is not None and input.dtype != torch.bool:
        # Each row with what is added to it, at one place of the other axes of the mask after the other.
        added = _kept(mask, source, 0).movedim(axis, 0)
        if mask.dim() > 1:
            added = added.sum(tuple(range(1, mask.dim())))
        added = added if isinstance(alpha, int) and alpha == 1 else added * alpha
        return (input + added).to(input.dtype)
    places = torch.where(mask, index, 0).reshape(-1)
    return torch.index_add(input, 0, places, _kept(mask, source, 0).reshape((-1,) + tuple(input.shape[1:])), alpha=alpha)


def _off_diagonal(input):
    """The elements of each row beside the diagonal, in order."""
    rows = input.shape[0]
    is_behind = torch.arange(rows - 1)[None, :] >= torch.arange(rows)[:, None]
    is_behind = is_behind.reshape(tuple(is_behind.shape) + (1,) * (input.dim() - 2))
    return torch.where(is_behind, input[:, 1:], input[:, :-1])


def _compressed_gradient(grad, input, held, count):
    before = torch.cat([held.new_zeros((1,)), held[:-1]])
    chosen = (held > before).reshape((-1,) + (1,) * (grad.dim() - 1))
    return {"input": torch.where(chosen, prims.take(grad, 0, torch.clamp(before, max=count - 1)), 0.0)}


@op("nereid::compressed(Tensor input, Tensor held, SymInt count) -> Tensor", at="prims", names="compressed", dtypes="first", grad=_compressed_gradient)
def _compressed(input, held, count):
    """The rows at which `held`, which counts those up to each, grows: the k-th is the first with k."""
    return prims.take(input, 0, torch.searchsorted(held, torch.arange(1, count + 1)))


@export(at="prims", names="settled")
def _settled(mask, input):
    """`input[mask]` where sizes alone tell which elements those are, and these are fixed; None where data do."""
    places = prims.known_places(mask)
    if places is None:
        return None
    elements = input.reshape((-1,) + tuple(input.shape[mask.dim() :]))
    if isinstance(places, list):
        runs = [elements[start:stop] for start, stop in places]
        return runs[0] if len(runs) == 1 else torch.cat(runs)
    if places == 0:
        return elements[:0]
    return prims.compressed(elements, torch.cumsum(mask.reshape(-1).to(torch.int64), 0), places)


@export(at="prims", names="settled_behind")
def _settled_behind(mask, input, dim):
    """The same for a mask of the axes from `dim` on."""
    axes = range(mask.dim())
    elements = _settled(mask, input.movedim(tuple(dim + axis for axis in axes), tuple(axes)))
    return None if elements is None else elements.movedim(0, dim)


@export(at="prims", names="selected_view selected_reshape")
def _reshape(mask, input, shape):
    shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if len(shape) == input.dim() and len(shape) >= 2 and mask.dim() == 2 and prims.is_off_diagonal(mask):
        rows, behind = input.shape[0], tuple(input.shape[2:])
        if tuple(shape) in ((rows, -1) + behind, (rows, rows - 1) + behind, (-1, rows - 1) + behind):
            return _off_diagonal(input)
    if tuple(shape) == (-1,) and (input.dim() == mask.dim() or tuple(input.shape[mask.dim() :]) == (1,)):
        return input.reshape(mask.shape)[mask]
    if tuple(shape) == (-1,):
        return input[mask.reshape(tuple(mask.shape) + (1,) * (input.dim() - mask.dim())).expand(input.shape)]
    if len(shape) == input.dim() - mask.dim() + 1 and tuple(shape) == (-1,) + tuple(input.shape[mask.dim() :]):
        return input[mask]
    if prims.known_places(mask) is not None:
        return None
    return prims.refuse("this shape of elements that a mask selects is not supported", "use torch.where(mask, a, b)")


@export(at="prims", names="selected_flatten")
def _flatten(mask, input, start_dim=0, end_dim=-1):
    rows = input.dim() - mask.dim()
    if start_dim == 0 and end_dim in (-1, rows):
        return _reshape(mask, input, (-1,))
    return prims.refuse("this shape of elements that a mask selects is not supported", "use torch.where(mask, a, b)")


for _name, _whole in (("softmax", F.softmax), ("log_softmax", F.log_softmax), ("logsumexp", torch.logsumexp), ("argmax", _plain(torch.argmax)), ("argmin", _plain(torch.argmin))):
    _fold(_name, _whole)(_within_rows(_whole))


def _class_losses(mask, loss, input, target, weight=None, ignore_index=-100, **options):
    """The loss of each element, and what a mean divides by."""
    if target.is_floating_point() or target.dim() != mask.dim() or input.dim() != mask.dim() + 1:
        prims.refuse("this form of a loss of elements that a mask selects is not supported", 'pass reduction="none", and sum torch.where(mask, loss, 0)')
    target = torch.where(mask, target, ignore_index).reshape(-1)
    each = loss(input.reshape(-1, input.shape[-1]), target, weight=weight, ignore_index=ignore_index, reduction="none", **options)
    counted = target != ignore_index
    if weight is None:
        return each.reshape(mask.shape), counted.sum()
    return each.reshape(mask.shape), torch.where(counted, weight[torch.where(counted, target, 0)], 0).sum()


@export(at="prims", names="selected_loss")
def _loss(mask, loss, name, reduction="mean", size_average=None, reduce=None, **arguments):
    if size_average is not None or reduce is not None:
        prims.refuse("size_average and reduce for elements that a mask selects are not supported", 'pass reduction="mean", "sum" or "none"')
    if name in ("cross_entropy", "nll_loss"):
        each, count = _class_losses(mask, loss, **arguments)
    else:
        if name in ("mse_loss", "l1_loss", "huber_loss") and arguments.get("weight") is not None and reduction == "mean":
            prims.refuse("a weighted mean of a loss of elements that a mask selects is not supported", 'pass reduction="sum", and divide by the sum of the weights')
        each, count = loss(**arguments, reduction="none"), None
        # A loss of whole rows knows no axes of a mask but the first.
        if mask.dim() > 1 and each.dim() < max(value.dim() for value in arguments.values() if isinstance(value, torch.Tensor)):
            prims.refuse("a loss of rows that a mask of several axes selects is not supported", "flatten the mask and the tensors first")
    if reduction == "none":
        return each[mask]
    if reduction == "sum":
        return _sum(mask, each)
    if reduction == "batchmean":
        return _sum(mask, each) / mask.sum()
    return _sum(mask, each) / (_numel(mask, each) if count is None else count)
