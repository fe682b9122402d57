# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of the primitive sort (arithmetic.py explains the decorators).

A NaN is greater than every number. What picks elements by their rank gathers them from its operand by
the sorted positions, so that its gradient goes to the places that were picked.
"""


def _only(input):
    # Of a tensor of rank 0.
    return prims.values_indices((input, torch.zeros_like(input, dtype=torch.int64)))


@op("aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", dtypes="number")
def sort(input, dim=-1, descending=False, stable=False):
    prims.check_dim(input, dim)
    if input.dim() == 0:
        return _only(input)
    return prims.values_indices(prims.sort(input, dim, descending))


@op("aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", dtypes="number")
def argsort(input, dim=-1, descending=False, stable=False):
    return sort(input, dim, descending)[1]


@op("aten::msort(Tensor self) -> Tensor", dtypes="number")
def msort(input):
    return sort(input, 0)[0]


@op("aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", dtypes="number")
def topk(input, k, dim=-1, largest=True, sorted=True):
    if input.dtype == torch.bool:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    prims.check_dim(input, dim)
    if input.dim() == 0:
        if k < 0 or k > 1:
            raise RuntimeError("selected index k out of range")
        return _only(input)
    return prims.values_indices(prims.sort(input, dim, largest, k, "selected index k out of range"))


def _picked(input, dim, keepdim, place):
    # The elements at the positions `place`, which keep the axis.
    values = torch.take_along_dim(input, place, dim)
    if not keepdim:
        values, place = values.squeeze(dim), place.squeeze(dim)
    return prims.values_indices((values, place))


def _refuse_bool(input, name):
    if input.dtype == torch.bool:
        raise RuntimeError('"' + name + "_cpu\" not implemented for 'Bool'")


@op("aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", dtypes="number")
def kthvalue(input, k, dim=-1, keepdim=False):
    _refuse_bool(input, "kthvalue")
    prims.check_dim(input, dim)
    message = "kthvalue(): selected number k out of range for dimension " + str(dim)
    if k < 1:
        raise RuntimeError(message)
    if input.dim() == 0:
        if k > 1:
            raise RuntimeError(message)
        return _only(input)
    places = prims.sort(input, dim, False, k, message)[1]
    return _picked(input, dim, keepdim, places.narrow(dim, k - 1, 1))


def _middle(input, dim, message):
    # The positions of the lower half, the middle included.
    return prims.sort(input, dim, False, (input.shape[dim] + 1) // 2, message)[1]


@op("aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", at="", dtypes="number")
def _median_along(input, dim, keepdim):
    _refuse_bool(input, "median")
    prims.check_dim(input, dim)
    if input.dim() == 0:
        return _only(input)
    prims.check_elements(input, dim, "median(): Expected reduction dim " + str(dim) + " to have non-zero size.")
    place = _middle(input, dim, "").narrow(dim, (input.shape[dim] + 1) // 2 - 1, 1)
    if input.is_floating_point():
        missing = torch.isnan(input)
        first = torch.argmax(missing.to(torch.uint8), dim, True)
        place = torch.where(torch.any(missing, dim, True), first, place)
    return _picked(input, dim, keepdim, place)


@op("aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", at="", dtypes="number")
def _nanmedian_along(input, dim, keepdim):
    if not input.is_floating_point():
        return _median_along(input, dim, keepdim)
    prims.check_dim(input, dim)
    if input.dim() == 0:
        return _only(input)
    prims.check_elements(input, dim, "median(): Expected reduction dim " + str(dim) + " to have non-zero size.")
    count = torch.sum(~torch.isnan(input), dim, True)
    rank = torch.maximum(count - 1, 0) // 2
    return _picked(input, dim, keepdim, torch.take_along_dim(_middle(input, dim, ""), rank, dim))


def _median_gradient(grad, result, input):
    # Even among all elements that are as great as the median.
    met = input == result
    if input.is_floating_point():
        met = met | (torch.isnan(input) & torch.isnan(result))
    return torch.where(met, grad / torch.sum(met.to(input.dtype)), 0.0)


@op("aten::median(Tensor self) -> Tensor", at="", dtypes="number", grad=_median_gradient)
def _median_of_all(input):
    return _median_along(input.reshape(-1), 0, False)[0]


@op("aten::nanmedian(Tensor self) -> Tensor", at="", dtypes="number", grad=_median_gradient)
def _nanmedian_of_all(input):
    return _nanmedian_along(input.reshape(-1), 0, False)[0]


@view()
def median(input, dim=None, keepdim=False):
    return _median_of_all(input) if dim is None else _median_along(input, dim, keepdim)


@view()
def nanmedian(input, dim=None, keepdim=False):
    return _nanmedian_of_all(input) if dim is None else _nanmedian_along(input, dim, keepdim)


def _blend(below, above, weight):
    # As torch.lerp, exact at both ends.
    return torch.where(weight < 0.5, below + weight * (above - below), above - (above - below) * (1.0 - weight))


def _checked_quantile(name, operator, input, q, dim, keepdim, interpolation):
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(name + "() interpolation must be one of linear, lower, higher, midpoint or nearest, but got " + interpolation)
    if input.dtype != torch.float32 and input.dtype != torch.float64:
        raise RuntimeError(name + "() input tensor must be either float or double dtype")
    if isinstance(q, torch.Tensor):
        if q.dtype != input.dtype:
            raise RuntimeError(name + "() q tensor must be same dtype as the input tensor")
        if q.dim() > 1:
            raise RuntimeError(name + "() q must be a scalar or 1D tensor")
    elif q < 0 or q > 1:
        raise RuntimeError(name + "() q values must be in the range [0, 1]")
    return operator(input, q, dim, keepdim, interpolation)


def _quantile(name, input, q, dim, keepdim, interpolation, skips_nan):
    rank = input.dim()
    lines = input
    if dim is None:
        lines = input.reshape(-1)
    else:
        prims.check_dim(input, dim)
        if rank == 0:
            lines = input.reshape(-1)
        else:
            lines = input.movedim(dim, -1)
    prims.check_elements(lines, -1, name + "() input tensor must be non-empty")
    ordered = prims.sort(lines, -1)[0]
    # One line of quantiles for each line of elements.
    several = isinstance(q, torch.Tensor) and q.dim() == 1
    if isinstance(q, torch.Tensor):
        share = q if several else q.reshape(1)
    else:
        share = torch.full((1,), q, dtype=input.dtype)
    missing = torch.isnan(lines)
    if skips_nan:
        last = torch.sum(~missing, -1, True) - 1
        last = torch.maximum(last, 0)
    else:
        last = torch.full_like(ordered[..., :1], lines.shape[-1] - 1, dtype=torch.int64)
    # As if computed in the input's type, also where this is computed in another.
    places = (share.to(torch.float64) * last.to(torch.float64)).to(input.dtype)
    if not skips_nan:
        places = torch.where(torch.any(missing, -1, True), last.to(input.dtype), places)
    if interpolation == "lower":
        places = torch.floor(places)
    elif interpolation == "higher":
        places = torch.ceil(places)
    elif interpolation == "nearest":
        places = torch.round(places)
    below = places.to(torch.int64)
    result = torch.gather(ordered, -1, below)
    if interpolation == "linear" or interpolation == "midpoint":
        above = torch.gather(ordered, -1, torch.ceil(places).to(torch.int64))
        weight = torch.full_like(places, 0.5) if interpolation == "midpoint" else places - below.to(input.dtype)
        result = _blend(result, above, weight)
    if dim is not None and keepdim and rank > 0:
        # The quantiles come first, and the axis that they are of has size 1.
        result = result.movedim(-1, 0)
        result = result.unsqueeze(dim + 1 if dim >= 0 else dim)
    elif keepdim:
        result = result.reshape([-1] + [1] * rank)
    else:
        result = result.movedim(-1, 0)
    return result if several else result.squeeze(0)


@op("aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor", at="")
def _quantile_of(input, q, dim, keepdim, interpolation):
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@op("aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor", at="")
def _nanquantile_of(input, q, dim, keepdim, interpolation):
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


@view()
def quantile(input, q, dim=None, keepdim=False, interpolation="linear"):
    return _checked_quantile("quantile", _quantile_of, input, q, dim, keepdim, interpolation)


@view()
def nanquantile(input, q, dim=None, keepdim=False, interpolation="linear"):
    return _checked_quantile("nanquantile", _nanquantile_of, input, q, dim, keepdim, interpolation)


@op("aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", dtypes="number")
def mode(input, dim=-1, keepdim=False):
    prims.check_dim(input, dim)
    if input.dim() == 0:
        return _only(input)
    prims.check_elements(input, dim, "mode(): Expected reduction dim " + str(dim) + " to have non-zero size.")
    if input.is_floating_point():
        # Here a NaN comes before all numbers.
        values, places = prims.sort(-input, dim, True)
    else:
        values, places = prims.sort(input, dim)
    extent = input.shape[dim]
    # The first of each run of equal elements, and how long its run is up to each element.
    starts = torch.full_like(values.narrow(dim, 0, 1), True, dtype=torch.bool)
    starts = torch.cat([starts, values.narrow(dim, 1, extent - 1) != values.narrow(dim, 0, extent - 1)], dim)
    ranks = prims.iota(input.shape, dim)
    length = ranks - prims.scan("max", torch.where(starts, ranks, 0), dim)
    place = torch.take_along_dim(places, torch.argmax(length, dim, True), dim)
    return _picked(input, dim, keepdim, place)


def _positions(ordered, values, right, out_int32):
    # How many elements lie before each value: a NaN among the values lies behind all.
    behind = ordered > values if right else ordered >= values
    count = torch.sum(~behind, -1)
    return count.to(torch.int32) if out_int32 else count


@op("aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", at="torch", dtypes="number")
def bucketize(input, boundaries, out_int32=False, right=False):
    if boundaries.dim() != 1:
        raise RuntimeError("boundaries tensor must be 1 dimension, but got dim(" + str(boundaries.dim()) + ")")
    if isinstance(input, torch.Tensor):
        input = input.unsqueeze(-1)
    return _positions(boundaries, input, right, out_int32)


@op("aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", at="torch", dtypes="number")
def searchsorted(sorted_sequence, input, out_int32=False, right=False, side=None, sorter=None):
    if side is not None:
        if side not in ("left", "right"):
            raise RuntimeError("torch.searchsorted(): side can only be 'left' or 'right' but got " + side)
        if right and side == "left":
            raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True")
        right = side == "right"
    if sorter is not None:
        sorted_sequence = torch.take_along_dim(sorted_sequence, sorter, -1)
    if not isinstance(input, torch.Tensor):
        return _positions(sorted_sequence, input, right, out_int32)
    if sorted_sequence.dim() > 1:
        if sorted_sequence.dim() != input.dim():
            raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match")
        sorted_sequence = sorted_sequence.unsqueeze(-2)
    return _positions(sorted_sequence, input.unsqueeze(-1), right, out_int32)
