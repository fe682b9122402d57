# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes to places that tensors of indices give (arithmetic.py explains the decorators).

Sums are the same on every run. Where several values meet one place and one of them stays, it is the
last. An index outside of its axis writes nothing.
"""


def _axis(dim, rank):
    if dim < -max(rank, 1) or dim >= max(rank, 1):
        raise IndexError("Dimension out of range (expected to be in range of [" + str(-max(rank, 1)) + ", " + str(max(rank, 1) - 1) + "], but got " + str(dim) + ")")
    return dim + rank if dim < 0 else dim


def _same_type(name, input, source):
    if input.dtype != source.dtype:
        raise RuntimeError(name + "(): self and source expected to have the same dtype")


def _check_index(name, index):
    if index.dtype not in (torch.int64, torch.int32):
        raise RuntimeError(name + "(): Expected dtype int32/int64 for index")


def _ranked(value):
    """A tensor with at least one axis; numbers as they are."""
    return value.unsqueeze(0) if isinstance(value, torch.Tensor) and value.dim() == 0 else value


def _along(index, dim, shape):
    """Indices of an axis, the same along the others."""
    return index.reshape([-1] + [1] * (len(shape) - 1 - dim)).expand(shape)


def _zeros_like_sum(kind, input):
    # Of bools a sum is an or.
    return "max" if kind == "sum" and input.dtype == torch.bool else kind


def _padded(input, shape, dim, fill):
    """`input` at the start of the axes of a larger shape."""
    amounts = []
    for axis in range(input.dim()):
        size = 0 if axis == dim or prims.same(shape[axis], input.shape[axis]) else shape[axis] - input.shape[axis]
        amounts = [0, size] + amounts
    return prims.pad(input, amounts, fill) if any(not prims.same(amount, 0) for amount in amounts) else input


def _last(index, dim, size):
    """The last position along the axis whose index is each place; below 0 where there is none."""
    return prims.scatter("max", prims.iota(index.shape, dim), index, dim, size)


# --- Rows: one index for each slice of an axis -----------------------------------------------------


def _rows_of(name, input, dim, index, source):
    if index.dim() > 1:
        raise IndexError(name + "(): Index should have dimension 1 or 0 (got " + str(index.dim()) + ")")
    _check_index(name, index)
    dim = _axis(dim, input.dim())
    index = prims.check_index(index.reshape(-1), input.shape[dim], name)
    if not prims.match(source.shape, input.shape[:dim] + index.shape + input.shape[dim + 1 :]):
        raise RuntimeError(name + "(): the sizes of the source do not fit self and index")
    return dim, index


@op("aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", dtypes="first")
def index_add(input, dim, index, source, alpha=1):
    if input.dim() == 0:
        return index_add(input.unsqueeze(0), dim, index, _ranked(source), alpha).squeeze(0)
    source = _ranked(source)
    _same_type("index_add", input, source)
    dim, index = _rows_of("index_add", input, dim, index, source)
    updates = source if isinstance(alpha, int) and alpha == 1 else source * alpha
    kind = _zeros_like_sum("sum", input)
    total = prims.scatter(kind, updates, _along(index, dim, source.shape), dim, input.shape[dim])
    return (input | total if kind == "max" else input + total).to(input.dtype)


def _index_copy_gradient(grad, input, dim, index, source):
    dim = _axis(dim, input.dim())
    hit = _hit_rows(input, dim, index.reshape(-1))
    return {"input": torch.where(hit, 0.0, grad), "source": prims.take(grad, dim, index.reshape(-1))}


def _hit_rows(input, dim, index):
    hit = _last(index, 0, input.shape[dim]) >= 0
    return hit.reshape([-1] + [1] * (input.dim() - 1 - dim))


@op("aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", at="", dtypes="first", grad=_index_copy_gradient)
def _copied_rows(input, dim, index, source):
    dim, index = _rows_of("index_copy", input, dim, index, source)
    last = _last(index, 0, input.shape[dim])
    hit = (last >= 0).reshape([-1] + [1] * (input.dim() - 1 - dim))
    return torch.where(hit, prims.take(source, dim, last), input)


@view()
def index_copy(input, dim, index, source):
    _same_type("index_copy", input, source)
    copied = _copied_rows(_ranked(input), dim, index, _ranked(source))
    return copied if input.dim() else copied.squeeze(0)


@op("aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", dtypes="first")
def index_fill(input, dim, index, value):
    if input.dim() == 0:
        return index_fill(input.unsqueeze(0), dim, index, value).squeeze(0)
    dim = _axis(dim, input.dim())
    index = index.reshape(-1)
    index = prims.check_index(torch.where(index < 0, index + input.shape[dim], index), input.shape[dim], "index_fill")
    return torch.where(_hit_rows(input, dim, index), value, input).to(input.dtype)


@view()
def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got " + reduce + ".")
    if input.dim() == 0:
        return index_reduce(input.unsqueeze(0), dim, index, _ranked(source), reduce, include_self=include_self).squeeze(0)
    source = _ranked(source)
    _same_type("index_reduce", input, source)
    dim, index = _rows_of("index_reduce", input, dim, index, source)
    return scatter_reduce(input, dim, _along(index, dim, source.shape), source, reduce, include_self=include_self)


# --- Elements: one index for each ------------------------------------------------------------------


def _check_ranks(name, input, index, source):
    if index.dtype not in (torch.int64, torch.int32):
        raise RuntimeError(name + "(): Expected dtype int64 for index")
    if index.dim() != input.dim() or (source is not None and source.dim() != input.dim()):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")


@op("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", dtypes="first")
def scatter_add(input, dim, index, src):
    if input.dim() == 0:
        return scatter_add(input.unsqueeze(0), dim, _ranked(index), _ranked(src)).squeeze(0)
    index, src = _ranked(index), _ranked(src)
    _same_type("scatter", input, src)
    _check_ranks("scatter", input, index, src)
    dim = _axis(dim, input.dim())
    prims.cut(input, index, dim)
    updates = prims.cut(src, index)
    index = prims.check_index(index, input.shape[dim], "scatter_add")
    kind = _zeros_like_sum("sum", input)
    if _is_single(input, dim, index):
        total = torch.where(_is_named(input, dim, index), updates, 0).to(input.dtype)
        return (input | total if kind == "max" else input + total).to(input.dtype)
    total = _padded(prims.scatter(kind, updates, index, dim, input.shape[dim]), input.shape, dim, 0)
    return (input | total if kind == "max" else input + total).to(input.dtype)


# One index for each row along the axis: no two meet, and each place asks whether it is the one.
def _is_single(input, dim, index):
    return prims.same(index.shape[dim], 1) and all(axis == dim or prims.same(index.shape[axis], input.shape[axis]) for axis in range(input.dim()))


def _is_named(input, dim, index):
    return prims.iota(input.shape, dim) == index


def _scatter_gradient(grad, input, dim, index, src):
    dim = _axis(dim, input.dim())
    gradients = {"input": torch.where(_hit_places(input, dim, index), 0.0, grad)}
    if isinstance(src, torch.Tensor):
        own = prims.gather(grad, dim, index)
        for axis in range(input.dim()):
            own = prims.pad(own, [0, 0] * (input.dim() - 1 - axis) + [0, src.shape[axis] - own.shape[axis]], 0) if not prims.same(src.shape[axis], own.shape[axis]) else own
        gradients["src"] = own
    return gradients


def _hit_places(input, dim, index):
    if _is_single(input, dim, index):
        return _is_named(input, dim, index)
    return _padded((_last(index, dim, input.shape[dim]) >= 0).to(torch.int64), input.shape, dim, 0) > 0


@op("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", at="", dtypes="first", grad=_scatter_gradient)
def _scattered(input, dim, index, src):
    dim = _axis(dim, input.dim())
    prims.cut(input, index, dim)
    index = prims.check_index(index, input.shape[dim], "scatter")
    if _is_single(input, dim, index):
        # A number is of the type of what it is put into, which may hold more than a float.
        own = prims.cut(src, index) if isinstance(src, torch.Tensor) else torch.full_like(index, src, dtype=input.dtype)
        return torch.where(_is_named(input, dim, index), own, input)
    last = _last(index, dim, input.shape[dim])
    if isinstance(src, torch.Tensor):
        own = prims.gather(prims.cut(src, index), dim, last)
    else:
        own = torch.full_like(last, src, dtype=input.dtype)
    hit = _padded((last >= 0).to(torch.int64), input.shape, dim, 0) > 0
    return torch.where(hit, _padded(own, input.shape, dim, 0), input)


@view()
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    if input.dim() == 0:
        return scatter(input.unsqueeze(0), dim, _ranked(index), _ranked(src), reduce=reduce).squeeze(0)
    index = _ranked(index)
    if isinstance(src, torch.Tensor):
        _check_ranks("scatter", input, index, src)
        _same_type("scatter", input, src)
    else:
        _check_ranks("scatter", input, index, None)
    if reduce is None:
        return _scattered(input, dim, index, src)
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if not isinstance(src, torch.Tensor):
        src = torch.full_like(index, src, dtype=input.dtype)
    return scatter_reduce(input, dim, index, src, "sum" if reduce == "add" else "prod")


def _extreme_gradient(grad, result, input, dim, index, src, kind, include_self):
    # Even among those that reach the extreme.
    picked = prims.cut(src, index)
    reached = (picked == prims.gather(result, dim, index)).to(grad.dtype)
    own = (input == result).to(grad.dtype)
    # PyTorch counts the place itself as one of them even where it is not included.
    count = _padded(prims.scatter("sum", reached, index, dim, input.shape[dim]), input.shape, dim, 0) + own
    share = grad / count
    of_input = share * own if include_self else torch.where(_hit_places(input, dim, index), 0.0, share * own)
    return {"input": of_input, "src": _grown(prims.gather(share, dim, index) * reached, src)}


def _grown(grad, like):
    for axis in range(like.dim()):
        if not prims.same(like.shape[axis], grad.shape[axis]):
            grad = prims.pad(grad, [0, 0] * (like.dim() - 1 - axis) + [0, like.shape[axis] - grad.shape[axis]], 0)
    return grad


@op("aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", at="", dtypes="first", grad=_extreme_gradient)
def _extreme(input, dim, index, src, kind, include_self):
    found = prims.scatter(kind, prims.cut(src, index), index, dim, input.shape[dim])
    hit = _hit_places(input, dim, index)
    found = _padded(found, input.shape, dim, 0)
    if include_self:
        both = torch.maximum(input, found) if kind == "max" else torch.minimum(input, found)
        return torch.where(hit, both, input)
    return torch.where(hit, found, input)


@op("aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", at="", dtypes="first")
def _combined(input, dim, index, src, reduce, include_self):
    updates = prims.cut(src, index)
    fill = 1 if reduce == "prod" else 0
    found = prims.scatter("prod" if reduce == "prod" else _zeros_like_sum("sum", input), updates, index, dim, input.shape[dim])
    found = _padded(found, input.shape, dim, fill)
    start = input if include_self else torch.where(_hit_places(input, dim, index), fill, input)
    if input.dtype == torch.bool:
        return (start & found if reduce == "prod" else start | found).to(torch.bool)
    result = start * found if reduce == "prod" else start + found
    if reduce == "mean":
        count = prims.scatter("sum", torch.ones_like(index, dtype=torch.int64), index, dim, input.shape[dim])
        count = _padded(count, input.shape, dim, 0)
        count = count + 1 if include_self else torch.maximum(count, 1)
        result = result / count if result.is_floating_point() else torch.div(result, count, rounding_mode="floor")
    return result.to(input.dtype)


@view()
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce))
    if input.dim() == 0:
        return scatter_reduce(input.unsqueeze(0), dim, _ranked(index), _ranked(src), reduce, include_self=include_self).squeeze(0)
    index, src = _ranked(index), _ranked(src)
    _same_type("scatter", input, src)
    _check_ranks("scatter", input, index, src)
    dim = _axis(dim, input.dim())
    prims.cut(input, index, dim)
    index = prims.check_index(index, input.shape[dim], "scatter_reduce")
    if reduce in ("amax", "amin"):
        return _extreme(input, dim, index, src, "max" if reduce == "amax" else "min", include_self)
    return _combined(input, dim, index, src, reduce, include_self)


# --- Places of several axes ------------------------------------------------------------------------


def _flat_places(input, indices):
    """The row-major places that a subscript takes; below 0 for those outside."""
    places = (prims.iota((input.numel(),), 0) + 1).reshape(input.shape)
    return places[indices] - 1


def _rows_only(input, indices):
    """The axis of the one tensor of indices of a subscript that takes all of the other axes, and that tensor."""
    found = []
    axis = 0
    for item in indices:
        if isinstance(item, torch.Tensor):
            found.append((axis, item))
        elif item is ...:
            axis = axis + input.dim() - len(indices)
        elif not isinstance(item, slice) or item.start is not None or item.stop is not None or item.step is not None:
            return None
        axis = axis + 1
    return found[0] if len(found) == 1 else None


def _put_gradient(grad, input, places, values):
    flat = grad.reshape(-1)
    hit = (_last(places, 0, input.numel()) >= 0).reshape(input.shape)
    return {"input": torch.where(hit, 0.0, grad), "values": prims.take(flat, 0, places)}


@op("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", at="", dtypes="first", grad=_put_gradient)
def _put_flat(input, places, values):
    last = _last(places, 0, input.numel())
    own = prims.take(values, 0, last).reshape(input.shape)
    return torch.where((last >= 0).reshape(input.shape), own, input)


@op("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", at="", dtypes="first")
def _add_flat(input, places, values):
    kind = _zeros_like_sum("sum", input)
    total = prims.scatter(kind, values, places, 0, input.numel()).reshape(input.shape)
    return (input | total if kind == "max" else input + total).to(input.dtype)


@view()
def put(input, index, source, accumulate=False):
    if input.dtype != source.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype")
    size = input.numel()
    index = index.reshape(-1)
    index = prims.check_index(torch.where(index < 0, index + size, index), size, "put_")
    index = torch.where((index < 0) | (index >= size), -1, index)
    source = source.reshape(-1)
    if not prims.match(index.shape, source.shape):
        raise RuntimeError("put_(): Expected source and index to have the same number of elements")
    return _add_flat(input, index, source) if accumulate else _put_flat(input, index, source)


@view()
def take(input, index):
    return input.reshape(-1)[index.reshape(-1)].reshape(index.shape)


def _written(input, indices, values, accumulate):
    rows = _rows_only(input, indices)
    if rows is not None:
        axis, index = rows
        shape = input.shape[:axis] + index.shape + input.shape[axis + 1 :]
        rows = input.shape[:axis] + (index.numel(),) + input.shape[axis + 1 :]
        values = torch.broadcast_to(values, shape).reshape(rows)
        index = index.reshape(-1)
        index = torch.where(index < 0, index + input.shape[axis], index)
        return index_add(input, axis, index, values) if accumulate else index_copy(input, axis, index, values)
    places = _flat_places(input, indices)
    values = torch.broadcast_to(values, places.shape).reshape(-1)
    places = places.reshape(-1)
    return _add_flat(input, places, values) if accumulate else _put_flat(input, places, values)


@view()
def index_put(input, indices, values, accumulate=False):
    if input.dtype != values.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match")
    key = tuple(slice(None, None, None) if item is None else item for item in indices)
    for item in key:
        if isinstance(item, torch.Tensor) and item.dtype in (torch.bool, torch.uint8):
            if len(key) > 1:
                return prims.refuse("index_put with a mask beside other indices", "use torch.where")
            item = item.to(torch.bool)
            if not accumulate:
                return _stored_by_mask(input, item, values)
            added = _stored_by_mask(torch.zeros_like(input), item, values)
            both = input | added if input.dtype == torch.bool else input + added
            return torch.where(item.reshape(item.shape + (1,) * (input.dim() - item.dim())), both, input)
    return _written(input, key, values, accumulate)


@export(at="prims", names="store")
def _stored(input, indices, values):
    return _written(input, indices, values.to(input.dtype), False)


def _of_rows(input, hit):
    return hit.reshape((-1,) + (1,) * (input.dim() - 1))


def _row_values(input, mask, values):
    return torch.broadcast_to(torch.as_tensor(values, dtype=input.dtype), tuple(mask.shape) + tuple(input.shape[1:]))


@export(at="prims", names="store_rows_where")
def _stored_rows_where(input, mask, values, axis):
    """`input[places] = values` for the indices of an axis of a mask at the places that it selects; of several that name
    the same row the last one stays."""
    values = _row_values(input, mask, values).movedim(axis, 0)
    mask = mask.movedim(axis, 0)
    if mask.dim() == 1:
        return torch.where(_of_rows(input, mask), values, input)
    values = values.reshape((input.shape[0], -1) + tuple(input.shape[1:]))
    mask = mask.reshape((input.shape[0], -1))
    number = prims.iota(mask.shape, 1)
    last = torch.where(mask, number, -1).amax(1)
    stays = mask & (number == last.unsqueeze(1))
    chosen = torch.where(stays.reshape(tuple(stays.shape) + (1,) * (input.dim() - 1)), values, 0).sum(1).to(input.dtype)
    return torch.where(_of_rows(input, last >= 0), chosen, input)


@export(at="prims", names="store_at_where")
def _stored_at_where(input, mask, values, index):
    """The same for any indices, one at each place of the mask."""
    rows = (-1,) + tuple(input.shape[1:])
    index = prims.check_index(torch.where(mask, torch.where(index < 0, index + input.shape[0], index), 0), input.shape[0], "index_put_")
    last = _last(torch.where(mask, index, -1).reshape(-1), 0, input.shape[0])
    return torch.where(_of_rows(input, last >= 0), prims.take(_row_values(input, mask, values).reshape(rows), 0, last), input)


@export(at="prims", names="store_at")
def _stored_at(input, dim, index, values):
    """A write through `input.select(dim, index)`, whose index is data."""
    return index_copy(input, dim, index.reshape(1), values.unsqueeze(dim))


@export(at="prims", names="store_by_mask")
def _stored_by_mask(input, mask, values):
    rest = input.dim() - mask.dim()
    mask = mask.reshape(mask.shape + (1,) * rest)
    if values.dim() == rest + 1 and prims.same(values.shape[0], 1):
        values = values.squeeze(0)
    if values.dim() <= rest:
        return torch.where(mask, values, input)
    # One value for each place, in their order.
    values = torch.broadcast_to(values, (values.shape[0],) + input.shape[input.dim() - rest :])
    return masked_scatter(input, mask, values)


@op("aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", dtypes="first")
def masked_scatter(input, mask, source):
    if input.dtype != source.dtype:
        raise RuntimeError("masked_scatter_: expected self and source to have same dtypes")
    if mask.dtype != torch.bool:
        raise RuntimeError("masked_scatter_ only supports boolean masks")
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    mask = torch.broadcast_to(mask, shape)
    places = torch.cumsum(mask.reshape(-1).to(torch.int64), 0) - 1
    return torch.where(mask, prims.take(source.reshape(-1), 0, places).reshape(shape), input)


# --- Counts ----------------------------------------------------------------------------------------


@view()
def bincount(input, weights=None, minlength=0):
    if input.dim() != 1 or input.is_floating_point():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if prims.same(minlength, 0):
        return prims.refuse("bincount without minlength has a size that depends on the data", "pass minlength, greater than every element")
    if weights is None:
        return _counted(input, torch.ones_like(input, dtype=torch.int64), minlength)
    if not prims.match(weights.shape, input.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return _counted(input, weights if weights.dtype == torch.float32 else weights.to(torch.float64), minlength)


@op("aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", at="", dtypes="any")
def _counted(input, weights, minlength):
    return prims.scatter("sum", weights, prims.check_index(input, minlength, "bincount"), 0, minlength)


@op("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor")
def histc(input, bins=100, min=0, max=0):
    if bins <= 0:
        raise RuntimeError("torch.histc(): bins must be > 0")
    if max < min:
        raise RuntimeError("torch.histc(): max must be larger than min")
    flat = input.detach().reshape(-1)
    if min == max:
        low, high = torch.amin(flat), torch.amax(flat)
        single = low == high
        low, high = torch.where(single, low - 1, low), torch.where(single, high + 1, high)
    else:
        low, high = torch.full((), min, dtype=flat.dtype), torch.full((), max, dtype=flat.dtype)
    inside = (flat >= low) & (flat <= high)
    place = torch.where(inside, (flat - low) * bins / (high - low), 0.0).to(torch.int64)
    place = torch.where(inside, torch.minimum(place, bins - 1), -1)
    counts = prims.scatter("sum", torch.ones_like(place), place, 0, bins)
    return counts.to(input.dtype)


# --- Bags ------------------------------------------------------------------------------------------


def _by_frequency_gradient(grad, weight, index):
    places = index.reshape(-1).to(torch.int64)
    counts = prims.scatter("sum", torch.ones_like(places), places, 0, weight.shape[0])
    share = grad.reshape([-1, weight.shape[1]]) / prims.take(counts, 0, places).unsqueeze(1)
    return prims.scatter("sum", share, places.unsqueeze(1).expand(share.shape), 0, weight.shape[0])


@export(at="prims", names="rows_by_frequency")
@op("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", at="", dtypes="first", grad=_by_frequency_gradient)
def _rows_by_frequency(weight, index):
    return prims.take(weight, 0, index)


@export(at="prims", names="renormalise")
def _renormalise(weight, index, max_norm, norm_type):
    """Rows that are looked up and longer than `max_norm` become that long, in place."""
    with torch.no_grad():
        hit = _last(index.reshape(-1), 0, weight.shape[0]) >= 0
        length = torch.linalg.vector_norm(weight, norm_type, 1)
        weight.mul_(torch.where(hit & (length > max_norm), max_norm / (length + 1e-7), 1.0).unsqueeze(1))


def _bags_gradient(grad, result, rows, bounds, mode):
    place = prims.iota((rows.shape[0],), 0)
    bag = torch.searchsorted(bounds, place, right=True) - 1
    grad = prims.take(grad, 0, bag)
    if mode == "sum":
        return {"rows": grad}
    if mode == "mean":
        length = torch.maximum(bounds[1:] - bounds[:-1], 1)
        return {"rows": grad / prims.take(length, 0, bag).unsqueeze(1)}
    # To the first of the greatest rows of a bag.
    place = place.unsqueeze(1).expand(rows.shape)
    reached = rows == prims.take(result, 0, bag)
    first = prims.segment("min", torch.where(reached, place, rows.shape[0]), bounds)
    return {"rows": torch.where(place == prims.take(first, 0, bag), grad, 0.0)}


@op("aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", at="", dtypes="first", grad=_bags_gradient)
def _bags(rows, bounds, mode):
    result = prims.segment("max" if mode == "max" else "sum", rows, bounds)
    if mode == "sum":
        return result
    length = (bounds[1:] - bounds[:-1]).unsqueeze(1)
    if mode == "mean":
        return result / torch.maximum(length, 1)
    return torch.where(length > 0, result, 0.0)


def _ragged(rows, kept, offsets, mode, include_last_offset):
    """The rows from one offset on to before the next, as one."""
    bounds = offsets.to(torch.int64)
    if not include_last_offset:
        bounds = torch.cat([bounds, torch.full((1,), rows.shape[0], dtype=torch.int64)])
    if kept is None:
        return _bags(rows, bounds, mode)
    total = _bags(torch.where(kept, rows, float("-inf") if mode == "max" else 0.0), bounds, "max" if mode == "max" else "sum")
    if mode == "sum":
        return total
    count = prims.segment("sum", kept.to(torch.int64), bounds)
    return torch.where(count > 0, total, 0.0) if mode == "max" else (total / torch.maximum(count, 1)).to(rows.dtype)


@view(at="F")
def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    if weight.dtype == torch.int64 and input.is_floating_point():
        input, weight = weight, input
    if not weight.is_floating_point():
        raise RuntimeError(f"embedding_bag: expected a weight of floating-point numbers, found {weight.dtype}")
    if sparse and prims.is_recording():
        return prims.refuse("the gradient of embedding_bag with sparse=True is not supported", "use sparse=False")
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() not in (1, 2) or (offsets is None) == (input.dim() == 1):
        raise ValueError("input has to be 2D without offsets, or 1D with offsets")
    if offsets is not None and offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError("max mode does not support " + ("scaling the gradient by the frequency" if scale_grad_by_freq else "sparse weights"))
    input = prims.check_index(input, weight.shape[0], "embedding_bag")
    if max_norm is not None:
        _renormalise(weight, input, max_norm, norm_type)
    rows = _rows_by_frequency(weight, input) if scale_grad_by_freq and prims.is_recording() else F.embedding(input, weight)
    if per_sample_weights is not None:
        if mode != "sum":
            raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum'")
        if not prims.match(per_sample_weights.shape, input.shape):
            raise ValueError("embedding_bag: If per_sample_weights is not None, then it must have the same shape as the input")
        rows = rows * per_sample_weights.unsqueeze(-1)
    kept = None
    if padding_idx is not None:
        kept = (input != (padding_idx + weight.shape[0] if padding_idx < 0 else padding_idx)).unsqueeze(-1)
    if input.dim() == 1:
        return _ragged(rows, kept, offsets, mode, include_last_offset)
    if kept is None:
        return rows.sum(1) if mode == "sum" else rows.mean(1) if mode == "mean" else rows.max(1).values
    if mode == "max":
        found = torch.where(kept, rows, float("-inf")).max(1).values
        return torch.where(kept.any(1), found, 0.0)
    total = torch.where(kept, rows, 0.0).sum(1)
    return total if mode == "sum" else total / torch.clamp_min(kept.sum(1), 1)
