# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counter-based random numbers: Philox 4x32 and 4x64 (Salmon, Moraes, Dror and Shaw, 2011)."""

import triton
import triton.language as tl

_ROUNDS = tl.constexpr(10)


@triton.constexpr_function
def _multipliers(bits):
    return (0xD2511F53, 0xCD9E8D57) if bits == 32 else (0xD2E7470EE14C6C93, 0xCA5A826395121157)


@triton.constexpr_function
def _weyl(bits):
    return (0x9E3779B9, 0xBB67AE85) if bits == 32 else (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = _ROUNDS):
    tl.static_assert(c0.dtype.is_int_unsigned(), "philox works on unsigned counters")
    multipliers: tl.constexpr = _multipliers(c0.dtype.primitive_bitwidth)
    weyl: tl.constexpr = _weyl(c0.dtype.primitive_bitwidth)
    for _ in tl.static_range(n_rounds):
        high0 = tl.umulhi(multipliers[0], c0)
        low0 = c0 * multipliers[0]
        high1 = tl.umulhi(multipliers[1], c2)
        low1 = c2 * multipliers[1]
        c0 = high1 ^ c1 ^ k0
        c2 = high0 ^ c3 ^ k1
        c1 = low1
        c3 = low0
        k0 = k0 + weyl[0]
        k1 = k1 + weyl[1]
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = _ROUNDS):
    seed = tl.to_tensor(seed).to(tl.uint64)
    c0 = tl.to_tensor(c0)
    c1 = tl.to_tensor(c1)
    c2 = tl.to_tensor(c2)
    c3 = tl.to_tensor(c3)
    if c0.dtype.primitive_bitwidth == 32:
        word: tl.constexpr = tl.uint32
        low = (seed & 0xFFFFFFFF).to(tl.uint32)
        high = (seed >> 32).to(tl.uint32)
    else:
        word: tl.constexpr = tl.uint64
        low = seed
        high = seed * 0
    c0 = c0.to(word, bitcast=True)
    c1 = c1.to(word, bitcast=True)
    c2 = c2.to(word, bitcast=True)
    c3 = c3.to(word, bitcast=True)
    return philox_impl(c0, c1, c2, c3, low, high, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = _ROUNDS):
    low = offset.to(tl.uint32)
    zero = low * 0
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(tl.uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = _ROUNDS):
    number = tl._random("bits", seed, offset) if n_rounds == 10 else None
    if number is None:
        number, _, _, _ = randint4x(seed, offset, n_rounds)
    return number


@triton.constexpr_function
def _largest_scale(bits):
    """The largest factor that keeps every product below one after rounding."""
    return 4.6566127342e-10 if bits == 32 else 1.0842020432385337e-19


@triton.jit
def uint_to_uniform_float(x):
    if x.dtype.primitive_bitwidth == 32:
        bits = x.to(tl.int32, bitcast=True)
    else:
        bits = x.to(tl.int64, bitcast=True)
    bits = tl.where(bits < 0, ~bits, bits)
    scale: tl.constexpr = _largest_scale(x.dtype.primitive_bitwidth)
    return bits * scale


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = _ROUNDS):
    number = tl._random("uniform", seed, offset) if n_rounds == 10 else None
    if number is None:
        number = uint_to_uniform_float(randint(seed, offset, n_rounds))
    return number


@triton.jit
def rand4x(seed, offset, n_rounds: tl.constexpr = _ROUNDS):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


@triton.jit
def pair_uniform_to_normal(u1, u2):
    """Box and Muller's transform."""
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = _ROUNDS):
    number = tl._random("normal", seed, offset) if n_rounds == 10 else None
    if number is None:
        a, b, _, _ = randint4x(seed, offset, n_rounds)
        number, _ = pair_uniform_to_normal(uint_to_uniform_float(a), uint_to_uniform_float(b))
    return number


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = _ROUNDS):
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
