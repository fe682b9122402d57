# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels whose acceptance is compared with upstream's. Each case is a name and a body.

The parameters are x, y: *fp32; h: *fp16; b: *bf16; i: *i32; w: *i64; c: *i8; n: i32; f: fp32; BLOCK: constexpr 64.
Before the body stand o = tl.arange(0, BLOCK), m = o < n and v = tl.load(x + o, mask=m, other=0.0).
"""

HEADER = """
import triton
import triton.language as tl
from triton.language.extra import libdevice
import math
from typing import NamedTuple

LIMIT = 8
GOOD = tl.constexpr(8)
NAME = tl.constexpr("relu")


class Pair(NamedTuple):
    a: tl.tensor
    b: tl.tensor


@triton.jit
def twice(a):
    return a * 2


@triton.jit
def scaled(a, factor: tl.constexpr = 3, bias=1.0):
    return a * factor + bias


@triton.jit
def pair(a, b):
    return a + b, a - b


@triton.jit
def early(a, flag):
    if flag > 0:
        return a
    return -a


@triton.jit
def pick(a, which: tl.constexpr):
    if which == "double":
        return a * 2
    else:
        return a


@triton.jit
def apply(a, fn: tl.constexpr):
    return fn(a)


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def both(a0, a1, b0, b1):
    return a0 + b0, a1 * b1


@triton.jit
def mixed(a, flag):
    if flag > 0:
        return a
    return 1.0


@triton.jit
def none_or(a, extra):
    if extra is None:
        return a
    return a + extra


def plain(a):
    return a


"""

CASES = {
    # constexpr and decay
    "arange_constexpr": "tl.store(y + o, v)",
    "arange_runtime": "p = tl.arange(0, n)",
    "arange_odd": "p = tl.arange(0, 48)",
    "arange_offset": "p = tl.arange(16, 32)\ntl.store(i + p, p)",
    "many_elements": "p = tl.arange(0, 2048)\ntl.store(i + tl.sum(tl.sum(p[:, None] * p[None, :], 1), 0), 1)",
    "most_elements": "p = tl.arange(0, 1024)\ntl.store(i + tl.sum(tl.sum(p[:, None] * p[None, :], 1), 0), 1)",
    "join_many_elements": "p = tl.arange(0, 1048576)\ntl.store(i + tl.sum(tl.sum(tl.join(p, p), 1), 0), 1)",
    "dot_many_elements": "p = tl.full((2048, 16), 1.0, tl.float16)\nq = tl.full((16, 1024), 1.0, tl.float16)\ntl.store(y, tl.sum(tl.dot(p, q)))",
    "arange_empty": "p = tl.arange(4, 4)",
    "decay": "N = BLOCK * 2\np = tl.arange(0, N)",
    "no_decay_annotated": "N: tl.constexpr = BLOCK * 2\np = tl.arange(0, N)\ntl.store(i + p, p)",
    "constexpr_twice": "N: tl.constexpr = 2\nN: tl.constexpr = 4",
    "constexpr_inline": "p = tl.arange(0, BLOCK // 2)\ntl.store(i + p, p)",
    "constexpr_call": "N: tl.constexpr = tl.constexpr(BLOCK)\np = tl.arange(0, N)\ntl.store(i + p, p)",
    "zeros_decayed": "N = BLOCK\nz = tl.zeros((N,), tl.float32)",
    "global_int": "tl.store(i + o, o * LIMIT)",
    "global_constexpr": "tl.store(i + o, o * GOOD)",
    "global_shadowed": "GOOD = GOOD * 2\ntl.store(i + o, o * GOOD)",
    "global_int_shadowed": "LIMIT = LIMIT * 2",
    "global_string": "if NAME == 'relu':\n    v = tl.maximum(v, 0.0)\ntl.store(y + o, v)",
    "global_function": "tl.store(y + o, plain(v))",
    "math_pi": "tl.store(y + o, v * math.pi)",
    "string_local": "name = 'relu'",
    "function_local": "g = twice",
    "dtype_local": "t = tl.float32\ntl.store(y + o, v.to(t))",
    "none_local": "e = None\nif e is None:\n    tl.store(y + o, v)",
    "tuple_local": "t = (v, v * 2)\ntl.store(y + o, t[0] + t[1])",
    "unpack": "a, d = v, v * 2\ntl.store(y + o, a + d)",
    "unpack_short": "a, d = v, v, v",
    "swap": "a = v\nd = v * 2\na, d = d, a\ntl.store(y + o, a)",
    "chain_assign": "a = d = v",
    "walrus": "tl.store(y + o, (w := v * 2) + w)",
    # operators
    "add_scalar": "tl.store(y + o, v + 1)",
    "int_float": "tl.store(y + o, o + 0.5)",
    "true_div_int": "tl.store(y + o, o / n)",
    "floor_div": "tl.store(i + o, o // n)",
    "floor_div_float": "tl.store(y + o, v // 2.0)",
    "mod": "tl.store(i + o, o % n)",
    "mod_float": "tl.store(y + o, v % 2.0)",
    "pow": "tl.store(y + o, v ** 2)",
    "pow_constexpr": "tl.store(y + o, v * (2 ** 3))",
    "matmul_operator": "a = tl.zeros((16, 16), tl.float32)\nd = a @ a",
    "shift": "tl.store(i + o, (o << 2) >> 1)",
    "shift_float": "tl.store(y + o, v >> 1)",
    "bit_and_float": "tl.store(y + o, v & 1)",
    "bit_masks": "tl.store(y + o, v, mask=m & (o > 3) | (o == 1))",
    "invert_mask": "tl.store(y + o, v, mask=~m)",
    "negate": "tl.store(y + o, -v)",
    "unary_plus": "tl.store(y + o, +v)",
    "compare_chain": "tl.store(y + o, v, mask=0 <= o < n)",
    "compare_ptr": "tl.store(y + o, v, mask=x == y)",
    "add_pointers": "tl.store(x + y, v)",
    "pointer_minus": "tl.store(y + BLOCK - o, v)",
    "pointer_float": "tl.store(y + 1.5, 1.0)",
    "mixed_signs_div": "u = o.to(tl.uint32)\ntl.store(i + o, o // u)",
    "negative_unsigned": "u = o.to(tl.uint32)\ntl.store(i + o, u + -1)",
    "out_of_range": "s = tl.load(c + o)\ntl.store(c + o, s + 300)",
    "not_scalar": "tl.store(y, 1.0, mask=not (n > 3))",
    "not_int": "tl.store(y, 1.0, mask=not n)",
    "and_scalars": "if n > 3 and n < 9:\n    tl.store(y, 1.0)",
    "and_int": "if n and f:\n    tl.store(y, 1.0)",
    "or_const": "if n > 3 or BLOCK > 1:\n    tl.store(y, 1.0)",
    "in_tuple": "if BLOCK in (32, 64):\n    tl.store(y + o, v)",
    "is_none": "if f is not None:\n    tl.store(y + o, v)",
    "plus_none": "tl.store(y + o, v + None)",
    "plus_string": "tl.store(y + o, v + 'a')",
    # broadcasting and shapes
    "outer": "a = o[:, None] * BLOCK + o[None, :]\ntl.store(i + a, a)",
    "rank_mismatch": "a = o[:, None]\ntl.store(i + o, a)",
    "shape_mismatch": "a = tl.arange(0, 32)\nd = o + a",
    "index_int": "tl.store(y, v[0])",
    "index_slice": "tl.store(y + o, v[0:2])",
    "index_ellipsis": "a = v[..., None]",
    "assign_item": "v[0] = 1.0",
    "reshape": "a = tl.reshape(v, (8, 8))\nd = tl.trans(a)\ntl.store(y + o, tl.reshape(d, (BLOCK,)))",
    "reshape_bad": "a = tl.reshape(v, (8, 4))",
    "reshape_method": "a = v.reshape(8, 8)\ntl.store(y + o, a.reshape(BLOCK))",
    "view": "a = v.view(8, 8)\ntl.store(y + o, tl.ravel(a))",
    "permute": "a = tl.reshape(v, (4, 4, 4))\nd = tl.permute(a, (2, 0, 1))\ntl.store(y + o, tl.reshape(d, (64,)))",
    "permute_bad": "a = tl.permute(tl.reshape(v, (8, 8)), (0, 0))",
    "transpose_attr": "a = tl.reshape(v, (8, 8)).T\ntl.store(y + o, tl.reshape(a, [64]))",
    "broadcast_to": "a = tl.broadcast_to(v[:, None], (BLOCK, 4))\ntl.store(y + o, tl.sum(a, 1))",
    "broadcast_to_bad": "a = tl.broadcast_to(v, (32,))",
    "expand_dims": "a = tl.expand_dims(v, 0)\ntl.store(y + o, tl.sum(a, 0))",
    "join_split": "a = tl.join(v, v * 2)\nd, e = tl.split(a)\ntl.store(y + o, d + e)",
    "interleave": "a = tl.interleave(v, v)\np = tl.arange(0, 2 * BLOCK)\ntl.store(y + p, a)",
    "cat": "a = tl.cat(v, v, can_reorder=True)\np = tl.arange(0, 2 * BLOCK)\ntl.store(y + p, a)",
    "gather": "tl.store(y + o, tl.gather(v, BLOCK - 1 - o, 0))",
    "gather_float": "tl.store(y + o, tl.gather(v, v, 0))",
    "full": "tl.store(y + o, tl.full((BLOCK,), 2.5, tl.float32))",
    "full_int_fraction": "tl.store(i + o, tl.full((BLOCK,), 2.5, tl.int32))",
    "zeros_list": "a = tl.zeros([BLOCK, 2], dtype=tl.float32)\ntl.store(y + o, tl.sum(a, axis=1))",
    "zeros_odd": "a = tl.zeros((48,), tl.float32)",
    "zeros_like": "tl.store(y + o, tl.zeros_like(v))",
    "too_large": "a = tl.zeros((2048, 1024), tl.float32)",
    "shape_attr": "p = tl.arange(0, v.shape[0])\ntl.store(i + p, p)",
    "len_shape": "if len(v.shape) == 1:\n    tl.store(y + o, v)",
    # memory
    "other_without_mask": "a = tl.load(x + o, other=0.0)",
    "load_from_value": "a = tl.load(v)",
    "load_scalar": "tl.store(y, tl.load(x))",
    "load_scalar_block_mask": "a = tl.load(x, mask=m)",
    "store_block_to_scalar": "tl.store(y, v)",
    "store_enlarges": "tl.store(y + o, tl.zeros((2, BLOCK), tl.float32))",
    "store_casts": "tl.store(h + o, v)",
    "store_int": "tl.store(y + o, o)",
    "store_mask_int": "tl.store(y + o, v, mask=o)",
    "load_mask_python": "tl.store(y + o, tl.load(x + o, mask=True))",
    "load_cache": "tl.store(y + o, tl.load(x + o, cache_modifier='.cg'))",
    "load_cache_bad": "a = tl.load(x + o, cache_modifier='.zz')",
    "load_eviction": "tl.store(y + o, tl.load(x + o, eviction_policy='evict_last'))",
    "load_eviction_bad": "a = tl.load(x + o, eviction_policy='now')",
    "load_unknown": "a = tl.load(x + o, default=0.0)",
    "load_pointer_cast": "p = x.to(tl.pointer_type(tl.int32))\ntl.store(i + o, tl.load(p + o))",
    "element_ty": "t = y.dtype.element_ty\ntl.store(y + o, v.to(t))",
    "atomic_add": "tl.atomic_add(y + o, v, mask=m)",
    "atomic_add_half": "tl.atomic_add(h + o, v.to(tl.float16), mask=m)",
    "atomic_add_i8": "tl.atomic_add(c + o, 1)",
    "atomic_max_float": "tl.atomic_max(y + o, v)",
    "atomic_max_half": "tl.atomic_max(h + o, v.to(tl.float16))",
    "atomic_and_float": "tl.atomic_and(y + o, v)",
    "atomic_xchg": "tl.atomic_xchg(i, 0)",
    "atomic_cas": "a = tl.atomic_cas(i, 0, 1)\ntl.store(i + 1, a)",
    "atomic_sem": "tl.atomic_add(y + o, v, sem='relaxed', scope='cta')",
    "atomic_sem_bad": "tl.atomic_add(y + o, v, sem='strong')",
    "descriptor": "d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])\nd.store([0, n], d.load([n, 0]))",
    "descriptor_nan": "d = tl.make_tensor_descriptor(x, [n], [1], [64], padding_option='nan')\ntl.store(y + o, d.load([0]))",
    "descriptor_stride": "d = tl.make_tensor_descriptor(x, [n, n], [n, n], [8, 8])",
    "descriptor_small": "d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 2])",
    "descriptor_offsets": "d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])\na = d.load([0])",
    "descriptor_wide_offset": "d = tl.make_tensor_descriptor(x, [n], [1], [64])\na = d.load([n.to(tl.int64)])",
    "descriptor_value_shape": "d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])\nd.store([0, 0], v)",
    "descriptor_half": "d = tl.make_tensor_descriptor(h, [n, n], [n, 1], [8, 8])\nd.store([0, 0], tl.zeros((8, 8), tl.float32))",
    "descriptor_loop": "d = tl.make_tensor_descriptor(x, [n, n], [n, 1], [8, 8])\na = tl.zeros((8, 8), tl.float32)\nfor j in range(n):\n    a += d.load([j, 0])\nd.store([0, 0], a)",
    # reductions and scans
    "sum": "tl.store(y, tl.sum(v, axis=0))",
    "sum_none": "tl.store(y, tl.sum(v))",
    "sum_mask": "tl.store(y, tl.sum(v, mask=m))",
    "sum_bad_axis": "tl.store(y, tl.sum(v, axis=1))",
    "sum_keep": "a = tl.sum(tl.reshape(v, (8, 8)), 1, keep_dims=True)\ntl.store(y + tl.arange(0, 8)[:, None], a)",
    "sum_half": "tl.store(h, tl.sum(tl.load(h + o), 0))",
    "sum_bool": "tl.store(i, tl.sum(m.to(tl.int32), 0))",
    "max_min": "tl.store(y, tl.max(v, 0) - tl.min(v, 0))",
    "max_indices": "a, j = tl.max(v, 0, return_indices=True)\ntl.store(y, a)\ntl.store(i, j)",
    "argmax": "tl.store(i, tl.argmax(v, 0))",
    "argmin_2d": "a = tl.argmin(tl.reshape(v, (8, 8)), axis=1)\ntl.store(i + tl.arange(0, 8), a)",
    "method_sum": "tl.store(y, v.sum(0))",
    "reduce_custom": "tl.store(y, tl.reduce(v, 0, larger))",
    "reduce_tuple": "a, d = tl.reduce((v, v), 0, both)\ntl.store(y, a + d)",
    "reduce_plain": "tl.store(y, tl.reduce(v, 0, plain))",
    "cumsum": "tl.store(y + o, tl.cumsum(v, 0))",
    "cumsum_reverse": "tl.store(y + o, tl.cumsum(v, axis=0, reverse=True))",
    "cumprod": "tl.store(y + o, tl.cumprod(v, 0))",
    "scan_custom": "tl.store(y + o, tl.associative_scan(v, 0, larger))",
    "softmax": "tl.store(y + o, tl.softmax(v))",
    "sort": "tl.store(y + o, tl.sort(v))",
    "flip": "tl.store(y + o, tl.flip(v, 0))",
    "topk": "tl.store(y + tl.arange(0, 8), tl.topk(v, 8))",
    "histogram": "tl.store(i + tl.arange(0, 16), tl.histogram(o, 16))",
    "xor_sum": "tl.store(i, tl.xor_sum(o, 0))",
    # mathematics
    "exp_log": "tl.store(y + o, tl.exp(v) + tl.log(v) + tl.exp2(v) + tl.log2(v))",
    "exp_half": "tl.store(h + o, tl.exp(tl.load(h + o)))",
    "exp_int": "tl.store(y + o, tl.exp(o))",
    "sqrt_rsqrt": "tl.store(y + o, tl.sqrt(v) * tl.rsqrt(v))",
    "erf": "tl.store(y + o, tl.erf(v))",
    "abs_int": "tl.store(i + o, tl.abs(o))",
    "sigmoid": "tl.store(y + o, tl.sigmoid(v))",
    "floor_ceil": "tl.store(y + o, tl.floor(v) + tl.ceil(v))",
    "fma": "tl.store(y + o, tl.fma(v, v, v))",
    "tanh": "tl.store(y + o, tl.tanh(v))",
    "math_tanh": "tl.store(y + o, tl.math.tanh(v))",
    "math_exp": "tl.store(y + o, tl.math.exp(v))",
    "python_math_exp": "tl.store(y + o, math.exp(v))",
    "libdevice_tanh": "tl.store(y + o, libdevice.tanh(v))",
    "libdevice_pow": "tl.store(y + o, libdevice.pow(v, 2.0))",
    "libdevice_pow_of_integer": "tl.store(y + o, libdevice.pow(v, o))",
    "libdevice_half": "tl.store(h + o, libdevice.tanh(tl.load(h + o)))",
    "libdevice_unknown": "tl.store(y + o, libdevice.relu(v))",
    "relu": "tl.store(y + o, tl.relu(v))",
    "mean": "tl.store(y, tl.mean(v, 0))",
    "clamp": "tl.store(y + o, tl.clamp(v, 0.0, 1.0))",
    "maximum_nan": "tl.store(y + o, tl.maximum(v, 0.0, propagate_nan=tl.PropagateNan.ALL))",
    "where": "tl.store(y + o, tl.where(m, v, 0.0))",
    "where_scalar": "tl.store(y + o, tl.where(n > 3, v, 0.0))",
    "builtin_min": "tl.store(i, min(n, 4))",
    "builtin_max_known": "a = tl.zeros((max(16, BLOCK),), tl.float32)\ntl.store(y + o, a)",
    "builtin_abs": "tl.store(y + o, abs(v))",
    "builtin_divmod": "q, r = divmod(n, 4)",
    "builtin_sum": "tl.store(y, sum(v))",
    "float_inf": "tl.store(y + o, tl.where(m, v, -float('inf')))",
    "float_tensor": "tl.store(y + o, float(n))",
    "cdiv": "for j in range(tl.cdiv(n, BLOCK)):\n    tl.store(y + j, 1.0)",
    "umulhi": "u = o.to(tl.uint32)\ntl.store(i + o, tl.umulhi(u, u))",
    "rand": "tl.store(y + o, tl.rand(n, o))",
    "randn": "tl.store(y + o, tl.randn(n, o))",
    "randint": "tl.store(i + o, tl.randint(n, o))",
    # casts
    "to_half": "tl.store(h + o, v.to(tl.float16))",
    "to_bitcast": "tl.store(i + o, v.to(tl.int32, bitcast=True))",
    "to_bitcast_bad": "tl.store(i + o, v.to(tl.int16, bitcast=True))",
    "to_string": "tl.store(h + o, v.to('float16'))",
    "to_float_method": "tl.store(y + o, v.float())",
    "to_fp8": "tl.store(y + o, v.to(tl.float8e5).to(tl.float32))",
    "cast_function": "tl.store(h + o, tl.cast(v, tl.float16))",
    "int_to_pointer": "p = n.to(tl.pointer_type(tl.float32))",
    # dot
    "dot": "a = tl.zeros((16, 16), tl.float16)\nd = tl.dot(a, a)\ntl.store(y, tl.sum(d))",
    "dot_small_k": "a = tl.zeros((16, 8), tl.float16)\nd = tl.dot(a, tl.trans(a))",
    "dot_mixed": "a = tl.zeros((16, 16), tl.float16)\nd = tl.dot(a, a.to(tl.float32))",
    "dot_acc": "a = tl.zeros((16, 16), tl.float32)\nd = tl.dot(a, a, a)\ntl.store(y, tl.sum(d))",
    "dot_acc_half": "a = tl.zeros((16, 16), tl.float16)\nd = tl.dot(a, a, a)\ntl.store(y, tl.sum(d))",
    "dot_acc_bf16": "a = tl.zeros((16, 16), tl.bfloat16)\nd = tl.dot(a, a, a)",
    "dot_shapes": "a = tl.zeros((16, 32), tl.float16)\nd = tl.dot(a, a)",
    "dot_rank1": "d = tl.dot(v, v)",
    "dot_precision": "a = tl.zeros((16, 16), tl.float32)\ntl.store(y, tl.sum(tl.dot(a, a, input_precision='ieee')))",
    "dot_precision_bad": "a = tl.zeros((16, 16), tl.float32)\nd = tl.dot(a, a, input_precision='high')",
    "dot_int8": "a = tl.zeros((32, 32), tl.int8)\ntl.store(i, tl.sum(tl.dot(a, a)))",
    "dot_int32": "a = tl.zeros((32, 32), tl.int32)\nd = tl.dot(a, a)",
    # products of microscaling formats
    "dot_scaled": "a = tl.zeros((32, 64), tl.uint8)\ns = tl.zeros((32, 2), tl.uint8)\ntl.store(y, tl.sum(tl.dot_scaled(a, s, 'e4m3', a.T, s, 'e4m3')))",
    "dot_scaled_packed": "a = tl.zeros((32, 32), tl.uint8)\ns = tl.zeros((32, 2), tl.uint8)\ntl.store(y, tl.sum(tl.dot_scaled(a, s, 'e2m1', a.T, s, 'e2m1')))",
    "dot_scaled_packed_along": "a = tl.zeros((16, 64), tl.uint8)\ns = tl.zeros((32, 2), tl.uint8)\ntl.store(y, tl.sum(tl.dot_scaled(a, s, 'e2m1', a.T, s, 'e2m1', lhs_k_pack=False, rhs_k_pack=False)))",
    "dot_scaled_mixed": "a = tl.zeros((32, 64), tl.uint8)\nb = tl.zeros((64, 32), tl.bfloat16)\ns = tl.zeros((32, 2), tl.uint8)\ntl.store(y, tl.sum(tl.dot_scaled(a, s, 'e5m2', b, None, 'bf16')))",
    "dot_scaled_acc": "a = tl.zeros((32, 64), tl.float8e5)\ns = tl.zeros((32, 2), tl.uint8)\nacc = tl.zeros((32, 32), tl.float32)\ntl.store(y, tl.sum(tl.dot_scaled(a, s, 'e5m2', a.T, s, 'e5m2', acc)))",
    "dot_scaled_format": "a = tl.zeros((32, 64), tl.uint8)\ns = tl.zeros((32, 2), tl.uint8)\nd = tl.dot_scaled(a, s, 'e3m4', a.T, s, 'e4m3')",
    "dot_scaled_inner": "a = tl.zeros((32, 64), tl.uint8)\ns = tl.zeros((32, 2), tl.uint8)\nb = tl.zeros((128, 32), tl.uint8)\nd = tl.dot_scaled(a, s, 'e4m3', b, s, 'e4m3')",
    "dot_scaled_scales": "a = tl.zeros((32, 64), tl.uint8)\ns = tl.zeros((16, 2), tl.uint8)\nd = tl.dot_scaled(a, s, 'e4m3', a.T, s, 'e4m3')",
    "dot_scaled_out": "a = tl.zeros((32, 64), tl.uint8)\ns = tl.zeros((32, 2), tl.uint8)\nd = tl.dot_scaled(a, s, 'e4m3', a.T, s, 'e4m3', out_dtype=tl.float16)",
    "dot_scaled_whole": "a = tl.zeros((32, 64), tl.int32)\ns = tl.zeros((32, 2), tl.uint8)\nd = tl.dot_scaled(a, s, 'e4m3', a.T, s, 'e4m3')",
    # branches
    "if_runtime": "a = v\nif n > 3:\n    a = v * 2\ntl.store(y + o, a)",
    "if_type_change": "a = v\nif n > 3:\n    a = o\ntl.store(y + o, a)",
    "if_one_arm": "if n > 3:\n    a = v\ntl.store(y + o, a)",
    "if_both_arms": "if n > 3:\n    a = v\nelse:\n    a = v * 2\ntl.store(y + o, a)",
    "if_arms_differ": "if n > 3:\n    a = v\nelse:\n    a = o\ntl.store(y + o, a)",
    "if_none_start": "a = None\nif n > 3:\n    a = v\nelse:\n    a = v * 2\ntl.store(y + o, a)",
    "if_block": "if v > 0:\n    tl.store(y, 1.0)",
    "if_constexpr": "if BLOCK > 32:\n    a = v\nelse:\n    a = undefined_name\ntl.store(y + o, a)",
    "if_elif": "a = v\nif n > 9:\n    a = v + 1\nelif n > 3:\n    a = v + 2\nelse:\n    a = v + 3\ntl.store(y + o, a)",
    "if_int": "if n:\n    tl.store(y, 1.0)",
    "if_return": "if n < 3:\n    return\ntl.store(y + o, v)",
    "if_nested_return": "if n < 9:\n    if n < 3:\n        return\n    tl.store(y, 1.0)\ntl.store(y + o, v)",
    "return_in_loop": "for j in range(n):\n    if j > 3:\n        return\n    tl.store(y + j, 1.0)",
    "ternary": "a = v if n > 3 else v * 2\ntl.store(y + o, a)",
    "ternary_types": "a = v if n > 3 else o\ntl.store(y + o, a)",
    "ternary_const": "a = v if BLOCK > 3 else o\ntl.store(y + o, a)",
    # loops
    "for_range": "a = v\nfor j in range(0, n, 4):\n    a += j\ntl.store(y + o, a)",
    "for_const_range": "a = v\nfor j in range(4):\n    a += j\ntl.store(y + o, a)",
    "for_index_constexpr": "for j in range(4):\n    p = tl.arange(0, j)",
    "for_static": "a = v\nfor j in tl.static_range(4):\n    a += tl.sum(tl.zeros((2 ** j,), tl.float32))\ntl.store(y + o, a)",
    "for_static_runtime": "for j in tl.static_range(n):\n    tl.store(y + j, 1.0)",
    "for_tl_range": "a = v\nfor j in tl.range(0, n, num_stages=2):\n    a += j\ntl.store(y + o, a)",
    "for_negative": "a = v\nfor j in range(10, 0, -2):\n    a += j\ntl.store(y + o, a)",
    "for_list": "for j in [1, 2]:\n    tl.store(y + j, 1.0)",
    "for_type_change": "a = o\nfor j in range(n):\n    a = a + 0.5\ntl.store(y + o, a)",
    "for_shape_change": "a = 0.0\nfor j in range(n):\n    a = a + v\ntl.store(y + o, a)",
    "for_int_start": "a = 0\nfor j in range(n):\n    a += j\ntl.store(i, a)",
    "for_int_to_float": "a = 0\nfor j in range(n):\n    a += 0.5\ntl.store(y, a)",
    "for_none_start": "a = None\nfor j in range(n):\n    a = v\ntl.store(y + o, v)",
    "for_float_bound": "for j in range(0, f):\n    tl.store(y + j, 1.0)",
    "for_local_after": "for j in range(n):\n    a = v\ntl.store(y + o, a)",
    "for_nested": "a = v\nfor j in range(n):\n    for k in range(j):\n        a += k\ntl.store(y + o, a)",
    "for_if": "a = v\nfor j in range(n):\n    if j % 2 == 0:\n        a += 1\ntl.store(y + o, a)",
    "for_else": "for j in range(n):\n    tl.store(y + j, 1.0)\nelse:\n    tl.store(y, 0.0)",
    "for_break": "for j in range(n):\n    if j > 3:\n        break",
    "for_continue": "for j in range(n):\n    if j > 3:\n        continue\n    tl.store(y + j, 1.0)",
    "for_pointer": "p = x + o\na = v\nfor j in range(n):\n    a += tl.load(p)\n    p += BLOCK\ntl.store(y + o, a)",
    "for_tuple": "t = (v, v)\nfor j in range(n):\n    t = (t[0] + 1, t[1] * 2)\ntl.store(y + o, t[0] + t[1])",
    "while": "a = n\nwhile a > 0:\n    tl.store(y + a, 1.0)\n    a -= 1",
    "while_int": "a = n\nwhile a:\n    a -= 1\ntl.store(i, a)",
    "while_true": "while True:\n    tl.store(y, 1.0)",
    "while_lock": "while tl.atomic_cas(i, 0, 1) == 1:\n    pass\ntl.atomic_xchg(i, 0)",
    # calls
    "call": "tl.store(y + o, twice(v))",
    "call_defaults": "tl.store(y + o, scaled(v))",
    "call_keywords": "tl.store(y + o, scaled(v, bias=2.0, factor=4))",
    "call_too_many": "tl.store(y + o, twice(v, 2))",
    "call_missing": "tl.store(y + o, twice())",
    "call_unknown_keyword": "tl.store(y + o, twice(v, b=2))",
    "call_pair": "a, d = pair(v, v)\ntl.store(y + o, a + d)",
    "call_early": "tl.store(y + o, early(v, n))",
    "call_early_in_loop": "a = v\nfor j in range(n):\n    a = early(a, j)\ntl.store(y + o, a)",
    "call_mixed_returns": "tl.store(y, mixed(f, n))",
    "call_mixed_block": "tl.store(y + o, mixed(v, n))",
    "call_string": "tl.store(y + o, pick(v, 'double'))",
    "call_function": "tl.store(y + o, apply(v, twice))",
    "call_none": "tl.store(y + o, none_or(v, None) + none_or(v, 1.0))",
    "call_star": "t = (v, v)\na, d = pair(*t)\ntl.store(y + o, a)",
    # statements and expressions that are not part of the language
    "lambda": "g = lambda a: a * 2\ntl.store(y + o, g(v))",
    "dict": "d = {'a': 1}",
    "nested_def": "def g(a):\n    return a\ntl.store(y + o, g(v))",
    "try": "try:\n    tl.store(y + o, v)\nexcept ValueError:\n    pass",
    "del": "a = v\ndel a",
    "import": "import math\ntl.store(y + o, v)",
    "comprehension_range": "t = [v * j for j in range(2)]",
    "comprehension_tuple": "t = [a * 2 for a in (v, v)]\ntl.store(y + o, t[0])",
    "attribute_store": "v.a = 1",
    "unknown_name": "tl.store(y + o, missing)",
    "unknown_tl": "tl.store(y + o, tl.nothing(v))",
    "async_copy": "a = tl.async_copy(x + o)",
    # debugging and hints
    "static_assert": "tl.static_assert(BLOCK == 64, 'size')\ntl.store(y + o, v)",
    "static_assert_false": "tl.static_assert(BLOCK == 32, 'size')",
    "static_assert_runtime": "tl.static_assert(n == 32)",
    "static_print": "tl.static_print('block', BLOCK)\ntl.store(y + o, v)",
    "device_print": "tl.device_print('v', v)",
    "device_print_label": "tl.device_print(v, 'v')",
    "print": "print('v', v)",
    "debug_print": "tl.debug_print(v, 'v')",
    "device_assert": "tl.device_assert(n > 0, 'n')\ntl.store(y + o, v)",
    "assert": "assert n > 0, 'n'\ntl.store(y + o, v)",
    "debug_barrier": "tl.debug_barrier()\ntl.store(y + o, v)",
    "assume": "tl.assume(n > 0)\ntl.store(y + o, v)",
    "multiple_of": "a = tl.multiple_of(o, BLOCK)\ntl.store(y + a, v)",
    "max_contiguous": "a = tl.max_contiguous(tl.multiple_of(o, BLOCK), BLOCK)\ntl.store(y + a, v)",
    "multiple_of_count": "a = tl.multiple_of(o, (8, 8))",
    "program_id": "p = tl.program_id(0) + tl.program_id(axis=1) * tl.num_programs(0)\ntl.store(i, p)",
    "program_id_axis": "p = tl.program_id(3)",
    "fstring": "tl.static_assert(BLOCK > 0, f'block {BLOCK}')\ntl.store(y + o, v)",
    "docstring": "'''text'''\ntl.store(y + o, v)",
    "pass": "pass",
    "isinstance": "if isinstance(BLOCK, int):\n    tl.store(y + o, v)",
    "element_of_number": "t = v.dtype.element_ty",
    "isinstance_int": "if not isinstance(BLOCK, int):\n    v.nothing()",
    "getattr_dtype": "if v.dtype == tl.float32:\n    tl.store(y + o, v)",
    "dtype_questions": "if v.dtype.is_floating() and not v.dtype.is_int():\n    tl.store(y + o, v)",
    "swizzle": "a, d = tl.swizzle2d(n, n, 4, 4, 2)\ntl.store(i, a + d)",
    "dtype_call": "tl.store(y + o, tl.float32(o))",
    "kwargs_call": "d = tl.load(x + o, **{})",
    # corner cases of the same
    "more_big_const": "tl.store(w, GOOD)",
    "more_big_const_add": "tl.store(w, n + GOOD)",
    "more_tuple_slice": "t = (v, v * 2, v * 3)\na, b_ = t[1:]\ntl.store(y + o, a + b_)",
    "more_tuple_neg": "t = (v, v * 2)\ntl.store(y + o, t[-1])",
    "more_tuple_rt_index": "t = (v, v * 2)\ntl.store(y + o, t[n])",
    "more_tuple_add": "t = (v,) + (v,)\ntl.store(y + o, t[1])",
    "more_nested_unpack": "(a, b_), c_ = (v, v), v\ntl.store(y + o, a + b_ + c_)",
    "more_star_unpack": "a, *b_ = (v, v, v)\ntl.store(y + o, a)",
    "more_if_tensor_none": "if v is None:\n    tl.store(y + o, v)",
    "more_while_type": "a = 0\nwhile a < n:\n    a += 0.5",
    "more_while_tensor": "a = v\nwhile v > 0:\n    a += 1",
    "more_range_i64": "for k in range(n.to(tl.int64)):\n    tl.store(y + k, 1.0)",
    "more_range_block": "for k in range(o):\n    tl.store(y + k, 1.0)",
    "more_range_unroll": "for k in tl.range(0, n, loop_unroll_factor=4):\n    tl.store(y + k, 1.0)",
    "more_range_bad_kw": "for k in tl.range(0, n, unroll=4):\n    tl.store(y + k, 1.0)",
    "more_for_tuple2": "for t in (v, v):\n    tl.store(y + o, t)",
    "more_for_zip": "for a, b_ in zip((v,), (v,)):\n    tl.store(y + o, a)",
    "more_comp_if": "t = [a for a in (1, 2, 3) if a > 1]\ntl.store(i, len(t))",
    "more_map_": "t = map(larger, (v, v))",
    "more_max_tuple": "tl.store(i, max(1, n, 3))",
    "more_max_one": "tl.store(i, max(n))",
    "more_math_log2": "q: tl.constexpr = math.log2(BLOCK)\ntl.store(y, q)",
    "more_libdevice_isnan_mask": "tl.store(y + o, v, mask=libdevice.isnan(v))",
    "more_libdevice_max": "tl.store(y + o, libdevice.fmax(v, 0.0))",
    "more_libdevice_f2i": "tl.store(i + o, libdevice.float2int_rn(v))",
    "more_libdevice_f2i2": "tl.store(i + o, libdevice.float_as_int(v))",
    "more_libdevice_popc": "tl.store(i + o, libdevice.popc(o) + libdevice.clz(o))",
    "more_libdevice_bf16": "tl.store(b + o, libdevice.tanh(tl.load(b + o)))",
    "more_cumsum_neg": "tl.store(y + o, tl.cumsum(v, -1))",
    "more_sum_dtype": "tl.store(y, tl.sum(o, 0, dtype=tl.float32))",
    "more_sum_scalar": "tl.store(y, tl.sum(f))",
    "more_sum_tuple_axis": "tl.store(y, tl.sum(tl.reshape(v, (8, 8)), (0, 1)))",
    "more_max_i1": "tl.store(i, tl.max(m, 0))",
    "more_reduce_bad": "tl.store(y, tl.reduce((v, v), 0, larger))",
    "more_gather_bad": "a = tl.gather(tl.reshape(v, (8, 8)), tl.zeros((8, 4), tl.int32), 0)\ntl.store(y, tl.sum(a))",
    "more_cat_2d": "q = tl.reshape(v, (8, 8))\na = tl.cat(q, q, dim=1)\ntl.store(y, tl.sum(a))",
    "more_join_scalar": "a = tl.join(f, f)\ntl.store(y + tl.arange(0, 2), a)",
    "more_join_types": "a = tl.join(v, o)\ntl.store(y, tl.sum(a))",
    "more_split_bad": "a, b_ = tl.split(tl.reshape(v, (8, 8)))",
    "more_index_full": "a = v[:]\ntl.store(y + o, a)",
    "more_index_toomany": "a = v[:, :]",
    "more_reshape_neg": "a = tl.reshape(v, (8, -1))",
    "more_trans_1d": "a = tl.trans(v)",
    "more_full_rt_cast": "a = tl.full((BLOCK,), n, tl.float32)\ntl.store(y + o, a)",
    "more_full_neg_unsigned": "a = tl.full((BLOCK,), -1, tl.uint32)\ntl.store(i + o, a)",
    "more_full_overflow": "a = tl.full((BLOCK,), 300, tl.int8)\ntl.store(c + o, a)",
    "more_zeros_int": "a = tl.zeros(BLOCK, tl.float32)",
    "more_arange_neg": "a = tl.arange(-4, 4)\ntl.store(i + 4 + a, a)",
    "more_arange_kw": "a = tl.arange(start=0, end=4)\ntl.store(i + a, a)",
    "more_load_big_mask": "a = tl.load(x + o, mask=m[:, None], other=0.0)\ntl.store(y, tl.sum(a))",
    "more_store_bigger_mask": "tl.store(y + o, v, mask=m[:, None])",
    "more_ptr_where": "p = tl.where(n > 3, x, y)\ntl.store(y, tl.load(p))",
    "more_ptr_if": "p = x\nif n > 3:\n    p = y\ntl.store(y, tl.load(p))",
    "more_ptr_cast_int": "a = x.to(tl.int32)",
    "more_dtype_mant": "tl.store(i, tl.float16.fp_mantissa_width)",
    "more_dtype_bias": "tl.store(i, tl.float16.exponent_bias)",
    "more_fp8_names": "tl.static_assert(x.dtype.element_ty != tl.float8e4b15)\ntl.static_assert(x.dtype.element_ty != tl.float8e4b8)\ntl.static_assert(x.dtype.element_ty != tl.float8e5b16)",
    "more_cast_round_int": "a = o.to(tl.int8, fp_downcast_rounding='rtne')",
    "more_cast_int_fp8": "a = o.to(tl.float8e5)\ntl.store(y, tl.sum(a.to(tl.float32)))",
    "more_neg_bool": "a = -m",
    "more_inv_float": "a = ~v",
    "more_u32_cmp_neg": "a = o.to(tl.uint32) > -1",
    "more_i8_plus_i32lit": "a = tl.load(c + o) + 1000",
    "more_u32_mod_n": "a = o.to(tl.uint32) % n",
    "more_where_ptr_int": "a = tl.where(m, x, 0)",
    "more_where_bc": "a = tl.where(m[:, None], v[None, :], 0.0)\ntl.store(y, tl.sum(a))",
    "more_clamp_mixed": "tl.store(y + o, tl.clamp(v, 0, 4))",
    "more_fma_int": "a = tl.fma(o, o, o)",
    "more_dot_both_prec": "a = tl.zeros((16, 16), tl.float32)\nd = tl.dot(a, a, allow_tf32=True, input_precision='ieee')",
    "more_dot_m1": "a = tl.zeros((1, 16), tl.float16)\nd = tl.dot(a, tl.zeros((16, 16), tl.float16))\ntl.store(y, tl.sum(d))",
    "more_dot_out_f32_f16acc": "a = tl.zeros((16, 16), tl.float16)\nd = tl.dot(a, a, tl.zeros((16,16), tl.float16), out_dtype=tl.float32)",
    "more_dot_u8": "a = tl.zeros((32, 32), tl.uint8)\nd = tl.dot(a, a)",
    "more_atomic_cas_block": "tl.atomic_cas(i + o, o, o)",
    "more_atomic_xchg_f": "tl.atomic_xchg(y + o, v)",
    "more_assume_block": "tl.assume(m)",
    "more_philox_impl": "a, b_, c_, d_ = tl.philox(n, o, o, o, o)\ntl.store(i + o, a)",
    "more_raise_dead": "if BLOCK == 3:\n    raise ValueError('x')\ntl.store(y + o, v)",
    "more_assert_const_false": "assert BLOCK == 32",
    "more_shadow_constexpr": "BLOCK = 32\ntl.store(i + tl.arange(0, BLOCK), 1)",
    "more_ann_constexpr_rt": "a: tl.constexpr = n",
    "more_if_block_one": "t = tl.zeros((1,), tl.int32)\nif t == 0:\n    tl.store(y, 1.0)",
    "more_if_float_int": "a = 1\nif n > 3:\n    a = 2.0\ntl.store(i, a)",
    "more_ternary_const_types": "a = 1 if n > 3 else 2.0\ntl.store(y, a)",
    "more_cmp_none": "if n == None:\n    tl.store(y, 1.0)",
    "more_and_short": "if BLOCK == 3 and undefined_x:\n    tl.store(y, 1.0)",
    "more_desc_3d": "d = tl.make_tensor_descriptor(y, [n, n, n], [n * n, n, 1], [1, 8, 8])\na = d.load([0, 0, 0])\ntl.store(y, tl.sum(a))",
    "more_condition": "k = n\nwhile tl.condition(k > 0, disable_licm=True):\n    k -= 1\ntl.store(i, k)",
    "more_logical_and": "tl.store(y + o, v, mask=tl.logical_and(m, o > 3))",
    "more_constexpr_in_loop": "for k in range(4):\n    Q: tl.constexpr = BLOCK // 2\n    tl.store(i + tl.arange(0, Q), k)",
    "more_constexpr_in_if": "if n > 3:\n    Q: tl.constexpr = 4\n    tl.store(i + tl.arange(0, Q), 1)\nelse:\n    Q: tl.constexpr = 8\n    tl.store(i + tl.arange(0, Q), 1)",
    "more_fn_in_tuple": "fs = (larger,)\ntl.store(y + o, fs[0](v, v))",
    "more_int_lit_u64": "tl.store(w, 0xFFFFFFFFFFFFFFFF)",
    "more_int_lit_huge": "tl.store(w, 1 << 70)",
    "more_lit_assign_u32": "a = 0x9E3779B9\ntl.store(w, a * n)",
    "named_tuple": "p = Pair(v, b=v)\ntl.store(y + o, p.a)",
    "named_tuple_loop": "p = Pair(v, v)\nfor k in range(n):\n    p = Pair(p.a + 1, p.b)\ntl.store(y + o, p.a + p.b)",
    "unsigned_literal": "u = o.to(tl.uint32)\ntl.store(i + o, (u * 0x9E3779B9) >> 16)",
}
