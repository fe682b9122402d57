# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of `triton.language` that can be said in the language itself.

A function here is part of `tl` unless its name starts with an underscore.
"""

import triton
import triton.language as tl


@triton.constexpr_function
def _exponent(n):
    power = 0
    while 1 << power < n:
        power += 1
    return power


@triton.constexpr_function
def _axis(dim, rank, default):
    if dim is None:
        return default
    return dim + rank if dim < 0 else dim


@triton.constexpr_function
def _widened(dtype, requested):
    """Sums of narrow integers are 32 bits wide, of the same sign."""
    if requested is not None:
        return requested
    if dtype.is_int() and dtype.primitive_bitwidth < 32:
        return tl.int32 if dtype.is_int_signed() else tl.uint32
    return dtype


@triton.constexpr_function
def _comparable(dtype):
    """What max and min of narrow numbers are computed in."""
    if dtype.primitive_bitwidth >= 32:
        return dtype
    return tl.float32 if dtype.is_floating() else tl.int32


# What kernels of others import from where upstream keeps its own: `triton.language.standard`, `triton.language.core`.


@triton.constexpr_function
def _log2(n):
    power = 0
    while n > 1:
        n >>= 1
        power += 1
    return power


@triton.constexpr_function
def _is_power_of_two(n):
    return n != 0 and n & (n - 1) == 0


@triton.constexpr_function
def _unwrap_if_constexpr(value):
    return value


# Arithmetic


@triton.jit
def cdiv(x, div):
    return (x + (div - 1)) // div


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim=None, keep_dims=None, ieee_rounding=False):
    axis: tl.constexpr = _axis(dim, len(x.shape), 0)
    weights = tl.exp(x - tl.max(x, axis, keep_dims=True))
    return weights / tl.sum(weights, axis, keep_dims=True)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """The position of program (i, j) when groups of size_g rows are walked column by column."""
    linear = i * size_j + j
    group_size = size_g * size_j
    first_row = linear // group_size * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    within = linear % group_size
    return first_row + within % rows, within // rows


# Shapes


@triton.jit
def zeros_like(input):
    return tl.zeros(input.shape, input.dtype)


@triton.jit
def ravel(x, can_reorder=False):
    return tl.reshape(x, [x.numel])


@triton.jit
def squeeze(x, dim: tl.constexpr):
    axis: tl.constexpr = _axis(dim, len(x.shape), 0)
    tl.static_assert(x.shape[axis] == 1, "squeeze: the axis must have extent 1")
    return tl.reshape(x, x.shape[:axis] + x.shape[axis + 1 :])


@triton.jit
def unsqueeze(x, dim: tl.constexpr):
    return tl.expand_dims(x, dim)


@triton.jit
def interleave(a, b):
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        return pairs
    else:
        return tl.reshape(pairs, pairs.shape[:-2] + (2 * pairs.shape[-2],))


@triton.jit
def _positions(shape: tl.constexpr, axis: tl.constexpr):
    """The index along one axis, in this shape."""
    ones_before: tl.constexpr = [1] * axis
    ones_after: tl.constexpr = [1] * (len(shape) - axis - 1)
    line = tl.arange(0, shape[axis])
    line = tl.reshape(line, ones_before + [shape[axis]] + ones_after)
    return tl.broadcast_to(line, shape)


@triton.jit
def flip(x, dim=None):
    axis: tl.constexpr = _axis(dim, len(x.shape), len(x.shape) - 1)
    return tl.gather(x, x.shape[axis] - 1 - _positions(x.shape, axis), axis)


# Folds


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def _exclusive_or(a, b):
    return a ^ b


@triton.jit
def _inclusive_or(a, b):
    return a | b


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def _first(a, b):
    return a


@triton.jit
def _larger_left(a, i, b, j):
    left = (a > b) | ((a == b) & (i < j))
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def _larger_any(a, i, b, j):
    left = a > b
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def _smaller_left(a, i, b, j):
    left = (a < b) | ((a == b) & (i < j))
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def _smaller_any(a, i, b, j):
    left = a < b
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def _with_index(input, axis, combine: tl.constexpr, keep_dims):
    if axis is None:
        line = tl.reshape(input, [input.numel])
        return tl.reduce((line, tl.arange(0, input.numel)), 0, combine, keep_dims=keep_dims)
    else:
        along: tl.constexpr = _axis(axis, len(input.shape), 0)
        index = _positions(input.shape, along)
        return tl.reduce((input, index), along, combine, keep_dims=keep_dims)


@triton.jit
def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    out_dtype: tl.constexpr = _widened(input.dtype, dtype)
    return tl.reduce(input.to(out_dtype), axis, _add, keep_dims=keep_dims)


@triton.jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        if return_indices_tie_break_left:
            return _with_index(input, axis, _larger_left, keep_dims)
        else:
            return _with_index(input, axis, _larger_any, keep_dims)
    else:
        return tl.reduce(input.to(_comparable(input.dtype)), axis, _larger, keep_dims=keep_dims)


@triton.jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        if return_indices_tie_break_left:
            return _with_index(input, axis, _smaller_left, keep_dims)
        else:
            return _with_index(input, axis, _smaller_any, keep_dims)
    else:
        return tl.reduce(input.to(_comparable(input.dtype)), axis, _smaller, keep_dims=keep_dims)


@triton.jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    _, index = tl.max(
        input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims
    )
    return index


@triton.jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    _, index = tl.min(
        input, axis, return_indices=True, return_indices_tie_break_left=tie_break_left, keep_dims=keep_dims
    )
    return index


@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return tl.reduce(input, axis, _exclusive_or, keep_dims=keep_dims)


@triton.jit
def reduce_or(input, axis, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return tl.reduce(input, axis, _inclusive_or, keep_dims=keep_dims)


@triton.jit
def item(x):
    """The element of a tile that has only one."""
    tl.static_assert(x.numel == 1, "item() needs a tile of one element")
    return tl.reduce(tl.reshape(x, [1]), 0, _first)


@triton.jit
def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    out_dtype: tl.constexpr = _widened(input.dtype, dtype)
    return tl.associative_scan(input.to(out_dtype), axis, _add, reverse)


@triton.jit
def cumprod(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    out_dtype: tl.constexpr = _widened(input.dtype, dtype)
    return tl.associative_scan(input.to(out_dtype), axis, _multiply, reverse)


@triton.jit
def histogram(input, num_bins, mask=None):
    """How many elements equal each bin; others are not counted."""
    tl.static_assert(len(input.shape) == 1, "histogram needs a tile of rank 1")
    tl.static_assert(input.dtype.is_int(), "histogram needs integers")
    hits = input[:, None] == tl.arange(0, num_bins)[None, :]
    if mask is not None:
        hits = hits & mask[:, None]
    return tl.sum(hits.to(tl.int32), axis=0)


# Sorting: of int32 and int64 an operation of the IR, of others the bitonic network: in stage k every
# run of k elements becomes sorted, alternately up and down; each step compares elements whose
# positions differ in one bit.


@triton.jit
def _compare_at(x, position, axis: tl.constexpr, bit: tl.constexpr, run: tl.constexpr, flipped: tl.constexpr):
    other = tl.gather(x, position ^ bit, axis)
    low = (position & bit) == 0
    up = ((position & run) == 0) != flipped
    return tl.where(low == up, tl.minimum(x, other), tl.maximum(x, other))


@triton.jit
def _bitonic_sort(x, axis: tl.constexpr, flipped: tl.constexpr):
    stages: tl.constexpr = _exponent(x.shape[axis])
    position = _positions(x.shape, axis)
    for stage in tl.static_range(1, stages + 1):
        for step in tl.static_range(stage):
            x = _compare_at(x, position, axis, 2 ** (stage - 1 - step), 2**stage, flipped)
    return x


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _axis(dim, len(x.shape), len(x.shape) - 1)
    tl.static_assert(axis == len(x.shape) - 1, "sort works along the last axis")
    flipped: tl.constexpr = True if descending else False
    if x.dtype == tl.int32 or x.dtype == tl.int64:
        return tl._sort_lines(x, flipped, False)
    else:
        return _bitonic_sort(x, axis, flipped)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _axis(dim, len(x.shape), len(x.shape) - 1)
    tl.static_assert(axis == len(x.shape) - 1, "bitonic_merge works along the last axis")
    stages: tl.constexpr = _exponent(x.shape[axis])
    flipped: tl.constexpr = True if descending else False
    if x.dtype == tl.int32 or x.dtype == tl.int64:
        return tl._sort_lines(x, flipped, True)
    else:
        position = _positions(x.shape, axis)
        for step in tl.static_range(stages):
            x = _compare_at(x, position, axis, 2 ** (stages - 1 - step), 2**stages, flipped)
        return x


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    axis: tl.constexpr = _axis(dim, len(x.shape), len(x.shape) - 1)
    tl.static_assert(k <= x.shape[axis], "topk: k must not exceed the extent of the axis")
    ordered = tl.sort(x, axis, descending)
    return tl.gather(ordered, _positions(x.shape[:-1] + (k,), axis), axis)


# Products of microscaling formats


@triton.jit
def _float4(bits):
    """The e2m1 number in the lower four bits."""
    exponent = (bits.to(tl.int32) >> 1) & 3
    mantissa = (bits & 1).to(tl.float32)
    normal = (1 << exponent).to(tl.float32) * (0.5 + 0.25 * mantissa)
    value = tl.where(exponent == 0, 0.5 * mantissa, normal)
    return tl.where((bits & 8) != 0, -value, value)


@triton.jit
def _power_of_two(bits):
    """The e8m0 number of eight bits: a power of two, or NaN for 255."""
    exponent = bits.to(tl.uint8, bitcast=True).to(tl.int32)
    subnormal = tl.where(exponent == 0, 0x00400000, exponent << 23)
    return tl.where(exponent == 255, 0x7FC00000, subnormal).to(tl.float32, bitcast=True)


@triton.jit
def _unpack(x, axis: tl.constexpr):
    """Two e2m1 numbers a byte, the lower four bits first, along an axis of a matrix."""
    bits = x.to(tl.uint8, bitcast=True)
    pairs = tl.join(_float4(bits & 15), _float4(bits >> 4))
    if axis == 0:
        return tl.reshape(tl.permute(pairs, (0, 2, 1)), (2 * x.shape[0], x.shape[1]))
    else:
        return tl.reshape(pairs, (x.shape[0], 2 * x.shape[1]))


@triton.jit
def _decoded(x, format: tl.constexpr, axis: tl.constexpr):
    """A matrix in a microscaling format as float32; `axis`: along which numbers of four bits are packed."""
    known: tl.constexpr = ["e2m1", "e4m3", "e5m2", "bf16", "fp16"]
    tl.static_assert(_is_one_of(format, known), "dot_scaled: a format is e2m1, e4m3, e5m2, bf16 or fp16")
    if format == "e2m1":
        return _unpack(x, axis)
    elif format == "e4m3":
        return x.to(tl.float8e4nv, bitcast=True).to(tl.float32)
    elif format == "e5m2":
        return x.to(tl.float8e5, bitcast=True).to(tl.float32)
    else:
        return x.to(tl.float32)


@triton.constexpr_function
def _is_one_of(value, values):
    return value in values


@triton.jit
def _scaled(x, scale):
    """Each row of a matrix in groups, each times its scale."""
    group: tl.constexpr = x.shape[1] // scale.shape[1]
    tl.static_assert(group * scale.shape[1] == x.shape[1], "dot_scaled: the scales do not divide the inner extent")
    if scale.dtype.is_fp8():
        factor = scale.to(tl.float32)
    else:
        factor = _power_of_two(scale)
    groups = tl.reshape(x, (x.shape[0], scale.shape[1], group))
    return tl.reshape(groups * factor[:, :, None], x.shape)


@triton.jit
def dot_scaled(
    lhs,
    lhs_scale,
    lhs_format: tl.constexpr,
    rhs,
    rhs_scale,
    rhs_format: tl.constexpr,
    acc=None,
    fast_math: tl.constexpr = False,
    lhs_k_pack: tl.constexpr = True,
    rhs_k_pack: tl.constexpr = True,
    out_dtype: tl.constexpr = tl.float32,
):
    tl.static_assert(out_dtype == tl.float32, "dot_scaled: the result is float32")
    tl.static_assert(len(lhs.shape) == 2 and len(rhs.shape) == 2, "dot_scaled: the factors are matrices")
    left = _decoded(lhs, lhs_format, 1 if lhs_k_pack else 0)
    right = _decoded(rhs, rhs_format, 0 if rhs_k_pack else 1)
    if lhs_scale is not None:
        left = _scaled(left, lhs_scale)
    if rhs_scale is not None:
        right = tl.trans(_scaled(tl.trans(right), rhs_scale))
    return tl.dot(left, right, acc, input_precision="ieee")
