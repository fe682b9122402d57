# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.masked: reductions and normalisations of the elements that a mask names.

What a mask leaves out becomes the neutral element of what follows: the mean of no element is NaN,
its sum 0, its greatest one -inf (arithmetic.py explains the decorators).
"""


def _mask_of(input, mask):
    if mask.dim() > input.dim():
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return torch.broadcast_to(mask, input.shape).to(torch.bool)


def _kept(input, mask, fill):
    return input if mask is None else torch.where(_mask_of(input, mask), input, fill)


def _least(input):
    if input.is_floating_point():
        return float("-inf")
    if input.dtype == torch.bool:
        raise NotImplementedError("identity of an extreme on torch.bool input")
    return torch.iinfo(input.dtype).min


def _greatest(input):
    if input.is_floating_point():
        return float("inf")
    if input.dtype == torch.bool:
        raise NotImplementedError("identity of an extreme on torch.bool input")
    return torch.iinfo(input.dtype).max


def _axes(dim, rank):
    if dim is None or dim == ():
        return tuple(range(rank))
    rank = max(rank, 1)
    found = []
    for axis in dim if isinstance(dim, (tuple, list)) else (dim,):
        if axis >= rank or axis < -rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {axis})")
        if axis % rank in found:
            raise RuntimeError(f"dim={axis} appears multiple times in the list of dims")
        found.append(axis % rank)
    return tuple(sorted(found))


def _sum_type(input, dtype):
    if dtype is not None:
        return dtype
    return input.dtype if input.is_floating_point() else torch.int64


@view(at="masked", names="sum")
def _masked_sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    dtype = _sum_type(input, dtype)
    input = _kept(input, mask, 0)
    return torch.sum(input, _axes(dim, input.dim()), bool(keepdim), dtype=dtype)


@view(at="masked", names="prod")
def _masked_prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    result = _kept(input, mask, 1).to(_sum_type(input, dtype))
    for axis in reversed(_axes(dim, input.dim())):
        result = result.prod(axis, bool(keepdim))
    return result


@view(at="masked", names="cumsum")
def _masked_cumsum(input, dim, *, dtype=None, mask=None):
    dtype = input.dtype if dtype is None else dtype
    return torch.cumsum(_kept(input, mask, 0), _axes(dim, input.dim())[0], dtype=dtype)


@view(at="masked", names="cumprod")
def _masked_cumprod(input, dim, *, dtype=None, mask=None):
    dtype = input.dtype if dtype is None else dtype
    return torch.cumprod(_kept(input, mask, 1), _axes(dim, input.dim())[0], dtype=dtype)


@view(at="masked", names="amax")
def _masked_amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    result = input if mask is None else _kept(input, mask, _least(input))
    result = torch.amax(result, _axes(dim, input.dim()), bool(keepdim))
    return result if dtype is None else result.to(dtype)


@view(at="masked", names="amin")
def _masked_amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    result = input if mask is None else _kept(input, mask, _greatest(input))
    result = torch.amin(result, _axes(dim, input.dim()), bool(keepdim))
    return result if dtype is None else result.to(dtype)


@view(at="masked", names="argmax")
def _masked_argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    kept = input if mask is None else _kept(input, mask, _least(input))
    return torch.argmax(kept, dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


@view(at="masked", names="argmin")
def _masked_argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    kept = input if mask is None else _kept(input, mask, _greatest(input))
    return torch.argmin(kept, dim, bool(keepdim)).to(input.dtype if dtype is None else dtype)


def _number_kept(input, dim, keepdim, mask):
    every = torch.ones(input.shape, dtype=torch.int64) if mask is None else _mask_of(input, mask)
    return torch.sum(every, _axes(dim, input.dim()), keepdim)


@view(at="masked", names="mean")
def _masked_mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    source = "Input" if dtype is None else "Optional"
    dtype = input.dtype if dtype is None else dtype
    if not dtype.is_floating_point:
        raise ValueError(f"mean(): Could not infer output dtype. {source} dtype must be either a floating point or complex dtype. Got: {dtype}")
    total = _masked_sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _number_kept(input, dim, bool(keepdim), mask)


@view(at="masked", names="median")
def _masked_median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    axis = _axes(dim, input.dim())[0]
    if input.is_floating_point():
        return torch.nanmedian(_kept(input, mask, float("nan")), axis, keepdim).values
    found = torch.nanmedian(_kept(input.to(torch.float32), mask, float("nan")), axis, keepdim).values
    return found.to(input.dtype if dtype is None else dtype)


@view(at="masked", names="logsumexp")
def _masked_logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    kept = input if mask is None else _kept(input, mask, _least(input))
    result = torch.logsumexp(kept, _axes(dim, input.dim()), keepdim)
    return result.to(input.dtype if dtype is None else dtype)


@view(at="masked", names="logaddexp")
def _masked_logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    dtype = input.dtype if dtype is None else dtype
    if input_mask is not None:
        input = _kept(input, input_mask, _least(input))
    if other_mask is not None:
        other = _kept(other, other_mask, _least(other))
    return torch.logaddexp(input, other).to(dtype)


@view(at="masked", names="norm")
def _masked_norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    fill = float("inf") if ord == float("-inf") else 0
    kept = _kept(input, mask, fill)
    return torch.linalg.vector_norm(kept, ord, _axes(dim, input.dim()), bool(keepdim), dtype=dtype)


def _spread(input, dim, unbiased, correction, keepdim, dtype, mask):
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if unbiased is not None:
        correction = 1 if unbiased else 0
    elif correction is None:
        correction = 1
    if dtype is None:
        dtype = input.dtype if input.is_floating_point() else torch.float32
    compute = dtype if dtype.is_floating_point else torch.float32
    count = _number_kept(input, dim, True, mask)
    center = _masked_sum(input, dim, keepdim=True, dtype=dtype, mask=mask) / count
    distance = input - center
    total = _masked_sum(distance * distance, dim, keepdim=keepdim, dtype=compute, mask=mask)
    if not keepdim:
        count = count.reshape(total.shape)
    if correction != 0:
        count = torch.clamp_min(count.to(compute) - correction, 0)
    return (total / count).to(dtype)


@view(at="masked", names="var")
def _masked_var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    return _spread(input, dim, unbiased, correction, bool(keepdim), dtype, mask)


@view(at="masked", names="std")
def _masked_std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    return torch.sqrt(_spread(input, dim, unbiased, correction, bool(keepdim), dtype, mask))


@view(at="masked", names="softmax")
def _masked_softmax(input, dim, *, dtype=None, mask=None):
    kept = input if mask is None else _kept(input, mask, _least(input))
    return F.softmax(kept, _axes(dim, input.dim())[0], dtype=input.dtype if dtype is None else dtype)


@view(at="masked", names="log_softmax")
def _masked_log_softmax(input, dim, *, dtype=None, mask=None):
    kept = input if mask is None else _kept(input, mask, _least(input))
    return F.log_softmax(kept, _axes(dim, input.dim())[0], dtype=input.dtype if dtype is None else dtype)


@view(at="masked", names="softmin")
def _masked_softmin(input, dim, *, dtype=None, mask=None):
    kept = input if mask is None else _kept(input, mask, _greatest(input))
    return F.softmin(kept, _axes(dim, input.dim())[0], dtype=input.dtype if dtype is None else dtype)


@view(at="masked", names="normalize")
def _masked_normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    kept = _kept(input, mask, 0)
    length = _masked_norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return kept / torch.maximum(length, torch.full((), eps, dtype=length.dtype))


@export(at="masked")
def is_masked_tensor(obj):
    return False
