# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for run.py, one for each corner of the language."""

from typing import NamedTuple

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def collatz_steps(value):
    steps = 0
    while value > 1:
        if value % 2 == 0:
            value = value // 2
        else:
            value = 3 * value + 1
        steps += 1
    return steps


@triton.jit
def control(out, n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        else:
            total -= i
    tl.store(out, total)
    countdown = 0
    for i in range(n, 0, -3):
        countdown += i
    tl.store(out + 1, countdown)
    tl.store(out + 2, collatz_steps(n))
    triangle = 0
    for i in range(n):
        for _ in range(i):
            triangle += 1
    tl.store(out + 3, triangle)
    static = 0
    for i in tl.static_range(3):
        static += tl.sum(tl.full((2**i,), 1, tl.int32))
    tl.store(out + 4, static)
    tl.store(out + 5, 3 if n < 5 else -3)


@triton.jit
def capped(n):
    if n < 0:
        return -n
    if n < 5:
        return n
    return 5


@triton.jit
def returns(out, n):
    tl.store(out + 1, capped(n))
    if n < 0:
        tl.store(out, 1)
        return
    if n < 5:
        tl.store(out, 2)
    else:
        if n < 10:
            tl.store(out, 3)
            return
        tl.store(out, 4)


@triton.jit
def division(a, b, q, r):
    i = tl.arange(0, 8)
    x = tl.load(a + i)
    y = tl.load(b + i)
    tl.store(q + i, x // y)
    tl.store(r + i, x % y)


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def reductions(x, out, index):
    rows = tl.arange(0, 16)
    columns = tl.arange(0, 32)
    value = tl.load(x + rows[:, None] * 32 + columns[None, :])
    tl.store(out + rows, tl.sum(value, axis=1))
    tl.store(out + 16 + rows, tl.max(value, axis=1))
    tl.store(out + 32 + rows, value.min(1))
    tl.store(out + 48 + rows, tl.max(tl.abs(value), axis=-1))
    running = tl.cumsum(value, axis=1)
    tl.store(out + 64 + rows, tl.sum(tl.where(columns[None, :] == 31, running, 0.0), axis=1))
    tl.store(out + 80 + rows, tl.reduce(value, 1, times))
    flipped = tl.flip(value, 1)
    tl.store(out + 96 + rows, tl.sum(tl.where(columns[None, :] == 0, flipped, 0.0), axis=1))
    ordered = tl.sort(value)
    tl.store(out + 112 + rows, tl.sum(tl.where(columns[None, :] == 3, ordered, 0.0), axis=1))
    tl.store(index + rows, tl.argmax(value, axis=1))
    _, lowest = tl.min(value, axis=1, return_indices=True)
    tl.store(index + 16 + rows, lowest)


@triton.jit
def merges(x, out):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(out + i, tl.bitonic_merge(value))
    tl.store(out + 64 + i, tl.bitonic_merge(tl.where(i < 32, tl.sort(value), 100 - i)))
    lines = tl.load(x + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :])
    falling = tl.reshape(tl.bitonic_merge(lines, descending=True), (64,))
    tl.store(out + 128 + i, falling)


@triton.jit
def scans(x, out):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(out + i, tl.cumsum(value, 0))
    tl.store(out + 64 + i, tl.cumsum(value, 0, reverse=True))
    tl.store(out + 128 + i, tl.cumprod(value, 0))
    tl.store(out + 192 + i, tl.associative_scan(value, 0, larger))


@triton.jit
def shapes(x, out):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    square = value.reshape(8, 8)
    tl.store(out + i, tl.ravel(square.T))
    tl.store(out + 64 + i, tl.flip(value, 0))
    half = tl.arange(0, 32)
    low = tl.load(x + half)
    high = tl.load(x + 32 + half)
    tl.store(out + 128 + i, tl.interleave(low, high))
    tl.store(out + 192 + i, tl.cat(low, low, can_reorder=True))
    tl.store(out + 256 + i, tl.sort(-value))
    sums = tl.broadcast_to(tl.sum(square, axis=1, keep_dims=True), (8, 8))
    tl.store(out + 320 + i, tl.reshape(sums, (64,)))


@triton.jit
def random(out, bits, seed):
    i = tl.arange(0, 128)
    tl.store(out + i, tl.rand(seed, i))
    tl.store(bits + i, tl.randint(seed, i))


@triton.autotune(
    configs=[triton.Config({"BLOCK": size}, num_warps=warps) for size in (128, 256) for warps in (4, 8)],
    key=["n"],
)
@triton.heuristics({"HAS_BIAS": lambda args: args["bias_ptr"] is not None})
@triton.jit
def tuned(x_ptr, bias_ptr, out_ptr, n, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + i, mask=i < n)
    if HAS_BIAS:
        value += tl.load(bias_ptr + i, mask=i < n)
    tl.store(out_ptr + i, value, mask=i < n)


@triton.jit
def dtypes(x, wide, unsigned, half, bits, flags):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(wide + i, value.to(tl.int64) * 1000)
    tl.store(unsigned + i, value.to(tl.uint8) // 3)
    tl.store(half + i, value / 3)
    tl.store(bits + i, value.to(tl.float32).to(tl.int32, bitcast=True))
    tl.store(flags + i, value > 0)


@triton.jit
def atomics(total, top, counts):
    pid = tl.program_id(0)
    i = tl.arange(0, 16)
    tl.atomic_add(total, tl.sum(i.to(tl.float32), 0))
    tl.atomic_max(top, pid.to(tl.float32))
    tl.atomic_add(counts + pid % 4, 1)


@triton.jit
def delayed(out, n):
    """The value before last: names that are equal before the loop and differ inside."""
    now = n * 1
    last = now
    for _ in range(3):
        last = now
        now += 1
    tl.store(out, last)
    tl.store(out + 1, now)
    a, b = now, now
    for _ in range(4):
        a, b = b, a + b
    tl.store(out + 2, b)


@triton.jit
def descriptors(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    target = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BM, BN])
    for column in range(0, N, BN):
        block = source.load([tl.program_id(0) * BM, column])
        total = tl.sum(block, axis=1, keep_dims=True)
        target.store([tl.program_id(0) * BM, column], block + total)


class Bounds(NamedTuple):
    low: tl.tensor
    high: tl.tensor


@triton.jit
def widened(bounds, value):
    return Bounds(tl.minimum(bounds.low, value), tl.maximum(bounds.high, value))


@triton.jit
def named_tuples(x, out, n):
    i = tl.arange(0, 16)
    first = tl.load(x + i)
    bounds = Bounds(first, high=first)
    for row in range(1, n):
        bounds = widened(bounds, tl.load(x + row * 16 + i))
    low, high = bounds
    tl.store(out + i, high - low)
    tl.store(out + 16 + i, bounds.high - bounds[0])


@triton.jit
def device_questions(x, out, index):
    i = tl.arange(0, 8)
    value = tl.load(x + i)
    tl.store(out + i, tl.where(~libdevice.isnan(value), value, 0.0))
    tl.store(out + 8 + i, tl.where(libdevice.isinf(value) | libdevice.isnan(value), 7.0, value))
    tl.store(index + i, ~libdevice.finitef(value))
    tl.store(index + 8 + i, libdevice.float2int_rn(tl.where(libdevice.finitef(value), value, 0.0)))
    tl.store(index + 16 + i, libdevice.float_as_int(value) & 0)


@triton.jit
def cat_along(x, out):
    at = tl.arange(0, 8)[:, None] * 4 + tl.arange(0, 4)[None, :]
    value = tl.load(x + at)
    tl.store(out + tl.arange(0, 8)[:, None] * 8 + tl.arange(0, 8)[None, :], tl.cat(value, -value, dim=1))
    tl.store(out + 64 + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :], tl.cat(value, -value, dim=0))


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def even_or_not(x, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out + i, tl.load(x + i))
    else:
        tl.store(out + i, -tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def long_conditions(out, number_of_tiles, first_tile_of_the_problem):
    tile_of_this_program = tl.program_id(0)
    while (tile_of_this_program >= first_tile_of_the_problem - first_tile_of_the_problem) and (
        tile_of_this_program < first_tile_of_the_problem + number_of_tiles + first_tile_of_the_problem
    ):
        tl.store(out + tile_of_this_program, 1)
        tile_of_this_program += 2


@triton.jit
def scaled_product(x, xs, w, ws, out, FORMAT: tl.constexpr, PACK: tl.constexpr):
    """32 x 64 times 64 x 16, from rows of w."""
    m, k, n = tl.arange(0, 32), tl.arange(0, 64 // PACK), tl.arange(0, 16)
    groups = tl.arange(0, 2)
    left = tl.load(x + m[:, None] * (64 // PACK) + k[None, :])
    right = tl.load(w + n[:, None] * (64 // PACK) + k[None, :])
    left_scale = tl.load(xs + m[:, None] * 2 + groups[None, :])
    right_scale = tl.load(ws + n[:, None] * 2 + groups[None, :])
    acc = tl.full((32, 16), 1.0, tl.float32)
    acc = tl.dot_scaled(left, left_scale, FORMAT, right.T, right_scale, FORMAT, acc)
    tl.store(out + m[:, None] * 16 + n[None, :], acc)
