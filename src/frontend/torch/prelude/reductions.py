# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans that are made of the primitive folds (arithmetic.py explains the decorators)."""


@export(at="prims")
class values_indices(tuple):
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])


@export(at="prims", names="count")
def _count(input, dim):
    if dim is None:
        return input.numel()
    count = 1
    for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
        if input.dim() > 0:
            count = count * input.shape[axis]
    return count


@op("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")
def mean(input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    if isinstance(dim, (tuple, list)) and len(dim) == 0:
        dim = None
    return torch.sum(input, dim, keepdim) / _count(input, dim)


def _variance(input, dim, correction, keepdim):
    if isinstance(dim, (tuple, list)) and len(dim) == 0:
        dim = None
    count = _count(input, dim)
    mean = torch.sum(input, dim, True) / count
    centered = input - mean
    squares = torch.sum(centered * centered, dim, keepdim)
    divisor = torch.maximum(torch.tensor(count, dtype=input.dtype) - correction, 0)
    if not keepdim:
        if dim is None:
            mean = mean.reshape([])
        else:
            mean = mean.squeeze(dim)
    return squares / divisor, mean


def _correction(dim, unbiased, correction):
    # var(x, False) is var(x, unbiased=False): the place of `dim` may hold `unbiased`.
    if isinstance(dim, bool):
        return None, 1 if dim else 0
    if unbiased is not None:
        return dim, 1 if unbiased else 0
    return dim, 1 if correction is None else correction


def _of_reduced(reduced, dim, keepdim):
    # What a reduction gave, beside its operand.
    if keepdim or dim is None:
        return reduced
    for axis in sorted(dim if isinstance(dim, (tuple, list)) else (dim,)):
        reduced = reduced.unsqueeze(axis)
    return reduced


def _variance_gradient(grad, input, dim, correction, keepdim):
    if isinstance(dim, (tuple, list)):
        dim = None if len(dim) == 0 else tuple(axis + input.dim() if axis < 0 else axis for axis in dim)
    elif dim is not None and dim < 0:
        dim = dim + input.dim()
    count = _count(input, dim)
    mean = torch.sum(input, dim, True) / count
    divisor = torch.maximum(torch.tensor(count, dtype=input.dtype) - correction, 0)
    return _of_reduced(grad, dim, keepdim) * (2.0 / divisor) * (input - mean)


def _var_gradient(grad, input, dim, unbiased, keepdim, correction):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance_gradient(grad, input, dim, correction, keepdim)


@op("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", grad=_var_gradient)
def var(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance(input, dim, correction, keepdim)[0]


def _of_root(grad, root):
    return torch.where(root == 0, 0.0, grad / (root * 2.0))


@op("nereid::standard_deviation(Tensor variance) -> Tensor", at="prims", names="standard_deviation", dtypes="own", grad=lambda grad, result, variance: _of_root(grad, result))
def standard_deviation(variance):
    return torch.sqrt(variance)


def _std_gradient(grad, result, input, dim, unbiased, keepdim, correction):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance_gradient(_of_root(grad, result), input, dim, correction, keepdim)


@op("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", grad=_std_gradient)
def std(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    return torch.sqrt(_variance(input, dim, correction, keepdim)[0])


def _mean_gradient(grad, input, dim, keepdim):
    if isinstance(dim, (tuple, list)) and len(dim) == 0:
        dim = None
    if isinstance(dim, (tuple, list)):
        dim = tuple(axis + input.dim() if axis < 0 else axis for axis in dim)
    elif dim is not None and dim < 0:
        dim = dim + input.dim()
    return (_of_reduced(grad, dim, keepdim) / _count(input, dim)).expand(input.shape)


def _var_mean_gradient(grad, input, dim, unbiased, keepdim, correction):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance_gradient(grad[0], input, dim, correction, keepdim) + _mean_gradient(grad[1], input, dim, keepdim)


@op("aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", at="torch", grad=_var_mean_gradient)
def var_mean(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    return _variance(input, dim, correction, keepdim)


def _std_mean_gradient(grad, result, input, dim, unbiased, keepdim, correction):
    dim, correction = _correction(dim, unbiased, correction)
    of_variance = _variance_gradient(_of_root(grad[0], result[0]), input, dim, correction, keepdim)
    return of_variance + _mean_gradient(grad[1], input, dim, keepdim)


@op("aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", at="torch", grad=_std_mean_gradient)
def std_mean(input, dim=None, unbiased=None, keepdim=False, correction=None):
    dim, correction = _correction(dim, unbiased, correction)
    variance, mean = _variance(input, dim, correction, keepdim)
    return torch.sqrt(variance), mean


def _at_place_gradient(grad, result, input, dim, keepdim):
    # To the place that was picked, whatever else is as great.
    if input.dim() == 0:
        return grad[0]
    dim = dim + input.dim() if dim < 0 else dim
    picked = prims.iota(input.shape, dim) == _of_reduced(result[1], dim, keepdim)
    return torch.where(picked, _of_reduced(grad[0], dim, keepdim), 0.0)


def _extreme(fold, argument, input, dim, keepdim):
    place = argument(input.to(torch.uint8) if input.dtype == torch.bool else input, dim, keepdim)
    return values_indices((fold(input, dim, keepdim), place))


@op("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", at="", dtypes="any", grad=_at_place_gradient)
def _max_along(input, dim, keepdim):
    return _extreme(torch.amax, torch.argmax, input, dim, keepdim)


@op("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", at="", dtypes="any", grad=_at_place_gradient)
def _min_along(input, dim, keepdim):
    return _extreme(torch.amin, torch.argmin, input, dim, keepdim)


def _evenly(grad, result, input):
    # Unlike that of amax a gradient that is missing everywhere but at the missing elements.
    reached = (input == result) | (torch.isnan(input) & torch.isnan(result))
    return torch.where(reached, grad / torch.sum(reached.to(grad.dtype)), 0.0)


@op("aten::max(Tensor self) -> Tensor", at="", dtypes="any", grad=_evenly)
def _greatest(input):
    return torch.amax(input)


@op("aten::min(Tensor self) -> Tensor", at="", dtypes="any", grad=_evenly)
def _least(input):
    return torch.amin(input)


def _extremes(fold, along, pairwise, input, dim, keepdim):
    if dim is None:
        return fold(input)
    if isinstance(dim, torch.Tensor):
        return pairwise(input, dim)
    return along(input, dim, keepdim)


class _min_max(tuple):
    min = property(lambda self: self[0])
    max = property(lambda self: self[1])


def _into(result, out):
    """The result, written to the tensors that are given for it."""
    if out is None:
        return result
    parts, given = (result, out) if isinstance(result, tuple) else ((result,), (out,))
    for part, tensor in zip(parts, given):
        if part.dtype != tensor.dtype:
            raise RuntimeError("Expected out tensor to have dtype " + str(part.dtype) + ", but got " + str(tensor.dtype) + " instead")
        if part.shape != tensor.shape:
            return prims.refuse("out= of another size than the result is not supported", "make it of the result's size")
        tensor.copy_(part)
    return out


@view(names="max")
def _max(input, dim=None, keepdim=False, other=None, *, out=None):
    return _into(_extremes(_greatest, _max_along, torch.maximum, input, dim if other is None else other, keepdim), out)


@view(names="min")
def _min(input, dim=None, keepdim=False, other=None, *, out=None):
    return _into(_extremes(_least, _min_along, torch.minimum, input, dim if other is None else other, keepdim), out)


@view()
def aminmax(input, dim=None, keepdim=False):
    dims = () if dim is None else dim
    return _min_max((torch.amin(input, dims, keepdim), torch.amax(input, dims, keepdim)))


def _present_gradient(grad, input, dim, keepdim):
    # A product with what is there, as PyTorch's: of nothing but missing elements the mean has no gradient.
    if isinstance(dim, (tuple, list)):
        dim = None if len(dim) == 0 else tuple(axis + input.dim() if axis < 0 else axis for axis in dim)
    elif dim is not None and dim < 0:
        dim = dim + input.dim()
    return _of_reduced(grad, dim, keepdim) * (~torch.isnan(input)).to(grad.dtype)


def _nansum_gradient(grad, input, dim, keepdim):
    return _present_gradient(grad, input, dim, keepdim)


def _nanmean_gradient(grad, input, dim, keepdim):
    return _present_gradient(grad / torch.sum(~torch.isnan(input), dim, keepdim), input, dim, keepdim)


@op("aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", dtypes="number", grad=_nansum_gradient)
def nansum(input, dim=None, keepdim=False, dtype=None):
    if input.is_floating_point():
        input = torch.where(torch.isnan(input), 0.0, input)
    return torch.sum(input, dim, keepdim, dtype=dtype)


@op("aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", grad=_nanmean_gradient)
def nanmean(input, dim=None, keepdim=False, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    missing = torch.isnan(input)
    total = torch.sum(torch.where(missing, 0.0, input), dim, keepdim)
    return total / torch.sum(~missing, dim, keepdim)


@op("aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", dtypes="number")
def count_nonzero(input, dim=None):
    return torch.sum(input != 0, dim)


def _norm_gradient(grad, result, input, p, dim, keepdim):
    if isinstance(dim, (tuple, list)):
        dim = None if len(dim) == 0 else tuple(axis + input.dim() if axis < 0 else axis for axis in dim)
    elif dim is not None and dim < 0:
        dim = dim + input.dim()
    grad = _of_reduced(grad, dim, keepdim)
    length = _of_reduced(result, dim, keepdim)
    if p == "fro" or p == 2 or p is None:
        return grad * torch.where(length == 0, 0.0, input / length)
    if p == 0:
        return {}
    if p == 1:
        return grad * torch.sign(input)
    size = torch.abs(input)
    if p == float("inf") or p == float("-inf"):
        reached = size == length
        share = grad / torch.sum(reached.to(input.dtype), () if dim is None else dim, True)
        return torch.where(reached, share * torch.sign(input), 0.0)
    if p < 1:
        return torch.where(input == 0, 0.0, torch.sign(input) * size ** (p - 1)) * grad * length ** (1 - p)
    share = torch.where(length == 0, 0.0, grad / length ** (p - 1))
    if p < 2:
        return torch.sign(input) * size ** (p - 1) * share
    return input * size ** (p - 2) * share


@op("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", grad=_norm_gradient)
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if dtype is not None:
        input = input.to(dtype)
    if p == "fro" or p == 2 or p is None:
        return torch.sqrt(torch.sum(input * input, dim, keepdim))
    if isinstance(p, str):
        raise RuntimeError("norm of order " + repr(p) + " is not supported")
    size = torch.abs(input)
    every = () if dim is None else dim
    if p == float("inf"):
        return torch.amax(size, every, keepdim)
    if p == float("-inf"):
        return torch.amin(size, every, keepdim)
    if p == 1:
        return torch.sum(size, dim, keepdim)
    if p == 0:
        return torch.sum((size != 0).to(input.dtype), dim, keepdim)
    return torch.sum(size**p, dim, keepdim) ** (1.0 / p)


def _logsumexp_at(input, dim):
    top = prims.amax(input, dim, True).detach()
    top = torch.where(torch.isinf(top), 0.0, top)
    return torch.log(torch.sum(torch.exp(input - top), dim, True)) + top


def _logsumexp_gradient(grad, result, result_dtype, input, dim, keepdim):
    if isinstance(dim, (tuple, list)):
        dim = tuple(axis + input.dim() if axis < 0 else axis for axis in dim)
    elif dim < 0:
        dim = dim + input.dim()
    # What a result rounded to a half is off by, 1 at 300, would make the gradient e times what it is.
    total = _of_reduced(result, dim, keepdim) if result_dtype == grad.dtype else _logsumexp_at(input, dim)
    return _of_reduced(grad, dim, keepdim) * torch.exp(input - total)


@op("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", at="torch Tensor special", dtypes="number", grad=_logsumexp_gradient)
def logsumexp(input, dim, keepdim=False):
    if input.dtype == torch.bool:
        input = input.to(torch.float32)
    total = _logsumexp_at(input, dim)
    return total if keepdim else total.squeeze(dim)


def _running(kind, input, dim):
    # Each prefix's extreme and its last place, a NaN being the extreme of all that follows.
    values = prims.scan(kind, input, dim)
    if input.dim() == 0:
        return values, torch.zeros_like(input, dtype=torch.int64)
    here = values == input
    if input.is_floating_point():
        here = here | torch.isnan(input)
    places = prims.iota(input.shape, dim)
    return values, prims.scan("max", torch.where(here, places, 0), dim)


@op("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", dtypes="number")
def cummax(input, dim):
    return values_indices(_running("max", input, dim))


@op("aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", dtypes="number")
def cummin(input, dim):
    return values_indices(_running("min", input, dim))


@op("aten::logcumsumexp(Tensor self, int dim) -> Tensor")
def logcumsumexp(input, dim):
    # Early prefixes may lie far below the greatest element of all: a sum of exponentials would lose them.
    return prims.scan("logsum", input, dim)


@view(at="linalg", names="vector_norm")
def _vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    return norm(x, 2 if ord is None else ord, dim, keepdim, None, dtype)


@view(at="linalg", names="matrix_norm")
def _matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    rows, columns = [axis + A.dim() if axis < 0 else axis for axis in dim]
    if ord == "fro":
        return norm(A, 2, (rows, columns), keepdim, None, dtype)
    if ord not in (1, -1, float("inf"), float("-inf")):
        return prims.refuse("the matrix norm of order " + repr(ord) + " needs singular values", "use 'fro', 1, -1, inf or -inf")
    if ord in (1, -1):
        rows, columns = columns, rows
    sums = norm(A, 1, columns, True, None, dtype)
    found = torch.amax(sums, rows, True) if ord > 0 else torch.amin(sums, rows, True)
    return found if keepdim else found.squeeze((rows, columns))


@view(at="linalg", names="norm")
def _linalg_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    if ord is None:
        return norm(A, 2, dim, keepdim, None, dtype)
    if dim is None and A.dim() == 2:
        return _matrix_norm(A, ord, (0, 1), keepdim, dtype=dtype)
    if isinstance(dim, (tuple, list)) and len(dim) == 2:
        return _matrix_norm(A, ord, dim, keepdim, dtype=dtype)
    return norm(A, ord, dim, keepdim, None, dtype)


@view(at="linalg", names="diagonal")
def _linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return A.diagonal(offset, dim1, dim2)


@view(at="torch")
def norm_except_dim(v, pow=2, dim=0):
    if dim == -1:
        return norm(v, pow)
    kept = dim + v.dim() if dim < 0 else dim
    return norm(v, pow, [axis for axis in range(v.dim()) if axis != kept], True)


@view(at="torch", names="_weight_norm")
def _weight_norm(v, g, dim=0):
    return v * (g / norm_except_dim(v, 2, dim))


@view(at="torch F", names="pairwise_distance")
def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    return norm(x1 - x2 + eps, p, -1, keepdim)


@view()
def dist(input, other, p=2):
    return norm(input - other, p)
