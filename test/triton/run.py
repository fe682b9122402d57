#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels in our interpreter and compares what they store with NumPy."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from tool import find_tool

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {
    "float32": "fp32", "float16": "fp16", "float64": "fp64", "int32": "i32", "int64": "i64", "int8": "i8", "int16": "i16",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "i1",
}  # fmt: skip


class Kernel:
    """A kernel of a file: call it with a grid, arrays and numbers; it returns the arrays after the run."""

    def __init__(self, tool, file, name, options=()):
        self.tool, self.file, self.name, self.options = tool, file, name, list(options)

    def __call__(self, grid, meta=None, **arguments):
        signature, values = [], []
        with tempfile.TemporaryDirectory() as folder:
            for name, value in arguments.items():
                if isinstance(value, np.ndarray):
                    path = pathlib.Path(folder) / f"{name}.npy"
                    np.save(path, value)
                    signature.append(f"{name}=*{TYPES[str(value.dtype)]}")
                    values += ["--arg", f"{name}={path}"]
                else:
                    signature.append(f"{name}={'fp32' if isinstance(value, float) else 'i32'}")
                    values += ["--arg", f"{name}={value}"]
            command = [self.tool, self.file, self.name, "--signature", ",".join(signature)]
            for name, value in (meta or {}).items():
                command += ["--constexpr", f"{name}={value!r}"]
            command += ["--grid", ",".join(map(str, grid)), "--out", folder, *values, *self.options]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                raise AssertionError(f"status {done.returncode}: {done.stderr[:1500]}")
            return {
                name: np.load(pathlib.Path(folder) / f"{name}.npy")
                for name, v in arguments.items()
                if isinstance(v, np.ndarray)
            }


def close(found, expected, rtol=1e-5, atol=1e-6):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


def cdiv(a, b):
    return -(-a // b)


CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


rng = np.random.default_rng(7)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


# --- Kernels of the documents -------------------------------------------------------------------------


@case
def vector_add(kernel):
    for n in (1, 7, 1000, 4096):
        x, y = normal(n), normal(n)
        out = kernel("add_kernel")(
            (cdiv(n, 256),), {"BLOCK_SIZE": 256}, x_ptr=x, y_ptr=y, output_ptr=np.zeros_like(x), n_elements=n
        )
        assert (out["output_ptr"] == x + y).all()


@case
def relu_half(kernel):
    x = normal(1000).astype(np.float16)
    out = kernel("fp16_relu")((8,), {"BLOCK_SIZE": 128}, x_ptr=x, y_ptr=np.full_like(x, 9), N=1000)
    assert (out["y_ptr"] == np.maximum(x, 0)).all()


@case
def copy_2d(kernel):
    a = normal(37, 53)
    out = kernel("kernel_2d")((3, 2), {"BLOCK_M": 16, "BLOCK_N": 32}, A_ptr=a, M=37, N=53)
    assert (out["A_ptr"] == a).all()


@case
def arc_sine(kernel):
    x = rng.uniform(-1, 1, 500).astype(np.float32)
    out = kernel("asin_kernel")((4,), {"BLOCK_SIZE": 128}, x_ptr=x, y_ptr=np.zeros_like(x), n_elements=500)
    close(out["y_ptr"], np.arcsin(x))


@case
def matmul(kernel):
    m, n, k = 33, 47, 70
    a, b = normal(m, k), normal(k, n)
    out = kernel("gemm")(
        (3, 2), {"BLOCK_M": 16, "BLOCK_N": 32, "BLOCK_K": 16}, a_ptr=a, b_ptr=b, c_ptr=np.zeros((m, n), np.float32), M=m, N=n, K=k,
        stride_am=k, stride_ak=1, stride_bk=n, stride_bn=1, stride_cm=n, stride_cn=1,
    )  # fmt: skip
    close(out["c_ptr"], a @ b, rtol=2e-2, atol=3e-2)  # tf32 operands


@case
def doubled(kernel):
    x = normal(1000)
    out = kernel("naive_kernel")((16,), {"N": 1000, "BLOCK_SIZE": 64}, input_ptr=x, output_ptr=np.zeros_like(x))
    assert (out["output_ptr"] == x * 2).all()


@case
def two_phase_reduction(kernel):
    x = normal(100, 30)
    one = np.zeros(1, np.int32)
    for seed in ("0", "3"):
        out = kernel("locked_partial", ["--seed", seed])(
            (7,), {"BM": 16, "BN": 32}, X=x, buf=np.zeros(30, np.float32), Lock=one, Count=one, M=100, N=30
        )
        close(out["buf"], x.sum(0), atol=1e-4)
        assert out["Lock"][0] == 0


@case
def final_reduction(kernel):
    x = normal(50, 40)
    out = kernel("finalize")((2,), {"BM": 16, "BN": 32}, DW=x, FINAL=np.zeros(40, np.float32), M=50, N=40)
    close(out["FINAL"], x.sum(0), atol=1e-4)


@case
def persistent_loop(kernel):
    x = normal(50, 70)
    meta = {"BLOCK_M": 16, "BLOCK_N": 16, "NUM_SMS": 4}
    out = kernel("persistent")((4,), meta, x_ptr=x, y_ptr=np.zeros_like(x), M=50, N=70)
    assert (out["y_ptr"] == x * 2).all()


@case
def log_sum_exp(kernel):
    x = normal(9, 20) * 50
    out = kernel("logsumexp_kernel")((9,), {"C_PAD": 32}, ptr=x, out_ptr=np.zeros(9, np.float32), C=20)
    x64 = x.astype(np.float64)
    top = x64.max(1)
    close(out["out_ptr"], top + np.log(np.exp(x64 - top[:, None]).sum(1)))


@case
def ring_buffer(kernel):
    steps, k, c = 12, 4, 20
    x = normal(steps, c)
    out = kernel("ring_kernel")(
        (1,), {"C_PAD": 32}, x_ptr=x, ring_ptr=np.zeros((k, c), np.float32), out_ptr=np.zeros_like(x), T=steps, K=k, C=c
    )
    expected = np.zeros_like(x)
    for t in range(steps):
        near = expected[t - 1] if t >= 1 else 0
        far = expected[t - k + 1] if t >= k - 1 else 0
        expected[t] = x[t] + np.maximum(near, far)
    close(out["out_ptr"], expected)


@case
def block_pointers(kernel):
    x = normal(40, 50)
    meta = {"BLOCK_M": 16, "BLOCK_N": 16}
    out = kernel("block_pointer_copy")((3,), meta, x_ptr=x, y_ptr=np.zeros_like(x), M=40, N=50, stride_m=50, stride_n=1)
    assert (out["y_ptr"] == x + 1).all()


# --- More of the language: language.py -------------------------------------------------------------------


@case
def loops_and_branches(kernel):
    out = kernel("control", file="language.py")((1,), out=np.zeros(8, np.int32), n=10)
    total = sum(i if i % 3 == 0 else -i for i in range(10))
    countdown = sum(range(10, 0, -3))
    collatz, steps = 10, 0
    while collatz > 1:
        collatz = collatz // 2 if collatz % 2 == 0 else 3 * collatz + 1
        steps += 1
    assert list(out["out"][:6]) == [total, countdown, steps, 45, 7, -3], out["out"]


@case
def tensor_descriptors(kernel):
    x = normal(20, 28)
    out = kernel("descriptors", file="language.py")((2,), {"BM": 16, "BN": 8}, x=x, y=np.zeros_like(x), M=20, N=28)
    blocks = np.concatenate([x[:, j : j + 8] + x[:, j : j + 8].sum(1, keepdims=True) for j in range(0, 28, 8)], 1)
    close(out["y"], blocks, atol=1e-5)


@case
def values_that_are_equal_at_first(kernel):
    out = kernel("delayed", file="language.py")((1,), out=np.zeros(3, np.int32), n=5)
    assert list(out["out"]) == [7, 8, 8 * 8], out["out"]


@case
def early_returns(kernel):
    for n, expected in ((-1, 1), (3, 2), (7, 3), (20, 4)):
        out = kernel("returns", file="language.py")((1,), out=np.zeros(2, np.int32), n=n)
        assert list(out["out"]) == [expected, abs(n) if n < 5 else 5], (n, out["out"])


@case
def c_division(kernel):
    a = np.array([7, -7, 7, -7, 0, 9, -9, 1], np.int32)
    b = np.array([2, 2, -2, -2, 3, 4, 4, -5], np.int32)
    out = kernel("division", file="language.py")((1,), a=a, b=b, q=np.zeros_like(a), r=np.zeros_like(a))
    assert (out["q"] == np.trunc(a / b)).all() and (out["r"] == np.fmod(a, b)).all()


@case
def reductions(kernel):
    x = normal(16, 32)
    out = kernel("reductions", file="language.py")(
        (1,), x=x, out=np.zeros((8, 16), np.float32), index=np.zeros((2, 16), np.int32)
    )
    rows = [
        x.sum(1),
        x.max(1),
        x.min(1),
        np.abs(x).max(1),
        np.cumsum(x, 1)[:, -1],
        np.prod(x, 1),
        x[:, ::-1][:, 0],
        np.sort(x, 1)[:, 3],
    ]
    close(out["out"], np.stack(rows), rtol=1e-4, atol=1e-5)
    assert (out["index"] == np.stack([x.argmax(1), x.argmin(1)])).all()


def merge_network(lines, descending=False):
    """Compares elements half a line apart, then a quarter, and so on."""
    lines = lines.copy()
    distance = lines.shape[-1] // 2
    while distance:
        pairs = lines.reshape(-1, 2, distance)
        low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
        lines = np.stack([high, low] if descending else [low, high], axis=1).reshape(lines.shape)
        distance //= 2
    return lines


@case
def merges(kernel):
    x = np.random.default_rng(5).integers(-(2**40), 2**40, 64)
    out = kernel("merges", file="language.py")((1,), x=x, out=np.zeros((3, 64), np.int64))["out"]
    rising = np.where(np.arange(64) < 32, np.sort(x), 100 - np.arange(64))
    expected = [merge_network(x), merge_network(rising), merge_network(x.reshape(4, 16), True).ravel()]
    assert (out == np.stack(expected)).all()


@case
def scans(kernel):
    x = normal(64)
    out = kernel("scans", file="language.py")((1,), x=x, out=np.zeros((4, 64), np.float32))
    expected = [np.cumsum(x), np.cumsum(x[::-1])[::-1], np.cumprod(x), np.maximum.accumulate(x)]
    close(out["out"], np.stack(expected), rtol=1e-4, atol=1e-5)


@case
def shapes(kernel):
    x = np.arange(64, dtype=np.float32)
    out = kernel("shapes", file="language.py")((1,), x=x, out=np.zeros((6, 64), np.float32))
    square = x.reshape(8, 8)
    expected = [
        square.T.ravel(), x[::-1], np.stack([x[:32], x[32:]], 1).ravel(), np.concatenate([x[:32], x[:32]]),
        np.sort(-x), np.repeat(square.sum(1), 8),
    ]  # fmt: skip
    close(out["out"], np.stack(expected))


@case
def random_numbers(kernel):
    import torch  # noqa: F401  (the reference below is a plain implementation of Philox 4x32-10)

    out = kernel("random", file="language.py")(
        (1,), out=np.zeros(128, np.float32), bits=np.zeros(128, np.uint32), seed=1234
    )
    words = [np.arange(128, dtype=np.uint64)] + [np.zeros(128, np.uint64)] * 3
    keys = [1234, 0]
    for _ in range(10):
        p0, p1 = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
        words = [
            (p1 >> shift) ^ words[1] ^ np.uint64(keys[0]),
            p1 & mask,
            (p0 >> shift) ^ words[3] ^ np.uint64(keys[1]),
            p0 & mask,
        ]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    assert (out["bits"] == words[0].astype(np.uint32)).all()
    assert (out["out"] >= 0).all() and (out["out"] < 1).all() and abs(out["out"].mean() - 0.5) < 0.1


@case
def heuristics(kernel):
    x = normal(100)
    out = kernel("tuned", file="language.py")((1,), {"bias_ptr": None}, x_ptr=x, out_ptr=np.zeros_like(x), n=100)
    close(out["out_ptr"], x)
    out = kernel("tuned", file="language.py")((1,), x_ptr=x, bias_ptr=x, out_ptr=np.zeros_like(x), n=100)
    close(out["out_ptr"], x + x)


@case
def dtypes(kernel):
    x = rng.integers(-100, 100, 64).astype(np.int8)
    out = kernel("dtypes", file="language.py")(
        (1,), x=x, wide=np.zeros(64, np.int64), unsigned=np.zeros(64, np.uint8), half=np.zeros(64, np.float16), bits=np.zeros(64, np.int32),
        flags=np.zeros(64, np.bool_),
    )  # fmt: skip
    assert (out["wide"] == x.astype(np.int64) * 1000).all()
    assert (out["unsigned"] == x.astype(np.uint8) // 3).all()
    close(out["half"], (x / np.float32(3)).astype(np.float16))
    assert (out["bits"] == x.astype(np.float32).view(np.int32)).all()
    assert (out["flags"] == (x > 0)).all()


@case
def atomics(kernel):
    out = kernel("atomics", file="language.py")(
        (8,), total=np.zeros(1, np.float32), top=np.full(1, -1e9, np.float32), counts=np.zeros(4, np.int32)
    )
    assert out["total"][0] == 8 * sum(range(16)) and out["top"][0] == 7.0
    assert list(out["counts"]) == [2, 2, 2, 2]


@case
def named_tuples(kernel):
    x = normal(5, 16)
    out = kernel("named_tuples", file="language.py")((1,), x=x, out=np.zeros(32, np.float32), n=5)["out"]
    assert (out[:16] == x.max(0) - x.min(0)).all() and (out[16:] == out[:16]).all()


@case
def a_printed_condition_is_computed_every_turn(kernel):
    """A `while` whose head does not fit a line: what is printed runs as the original does."""
    signature = ["--signature", "out=*i32,number_of_tiles=i32,first_tile_of_the_problem=i32"]
    ir = subprocess.run(
        [find_tool(), HERE / "language.py", "long_conditions", *signature], capture_output=True, text=True
    )
    printed = subprocess.run([find_tool("nereid-emit"), "-"], input=ir.stdout, capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "printed.py"
        path.write_text(printed.stdout)
        for file in ("language.py", str(path)):
            out = kernel("long_conditions", file=file)(
                (1,), out=np.zeros(16, np.int32), number_of_tiles=6, first_tile_of_the_problem=2
            )["out"]
            assert list(np.flatnonzero(out)) == [0, 2, 4, 6, 8], out


@case
def device_questions(kernel):
    nan, inf = np.nan, np.inf
    x = np.array([1.5, nan, -inf, inf, -2.5, 0.0, 2.5, nan], np.float32)
    out = kernel("device_questions", file="language.py")(
        (1,), x=x, out=np.zeros(16, np.float32), index=np.zeros(24, np.int32)
    )
    assert (out["out"][:8] == np.nan_to_num(x, nan=0, posinf=inf, neginf=-inf)).all()
    assert (out["out"][8:] == np.where(np.isfinite(x), x, 7)).all()
    assert (out["index"][:8] == ~np.isfinite(x)).all()
    assert (out["index"][8:16] == np.rint(np.where(np.isfinite(x), x, 0))).all()
    assert (out["index"][16:] == 0).all()


@case
def cat_along(kernel):
    x = normal(8, 4)
    out = kernel("cat_along", file="language.py")((1,), x=x, out=np.zeros(128, np.float32))["out"]
    assert (out[:64].reshape(8, 8) == np.concatenate([x, -x], 1)).all()
    assert (out[64:].reshape(16, 4) == np.concatenate([x, -x], 0)).all()


def decode(codes, exponent_bits, mantissa_bits, bias):
    """The numbers of a format without infinities."""
    exponent = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1)
    mantissa = (codes & ((1 << mantissa_bits) - 1)) / 2.0**mantissa_bits
    size = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias), (1 + mantissa) * 2.0 ** (exponent.astype(int) - bias))
    return np.where(codes >> (exponent_bits + mantissa_bits) & 1, -size, size)


@case
def scaled_product(kernel):
    run = kernel("scaled_product", file="language.py")
    for name, exponent_bits, mantissa_bits, bias, pack in (("e4m3", 4, 3, 7, 1), ("e5m2", 5, 2, 15, 1), ("e2m1", 2, 1, 1, 2)):
        # Without what is NaN or infinite in the formats of 8 bits.
        codes = [rng.integers(0, 16 if pack == 2 else 0x78, (rows, 64)).astype(np.uint8) for rows in (32, 16)]
        signs = [np.where(rng.random(c.shape) < 0.5, 0 if pack == 2 else 0x80, 0).astype(np.uint8) for c in codes]
        codes = [c | sign for c, sign in zip(codes, signs)]
        scales = [rng.integers(120, 134, (rows, 2)).astype(np.uint8) for rows in (32, 16)]
        scales[1][0] = 0, 1  # 2 to the -127 is no normal number
        x, w = (
            decode(c, exponent_bits, mantissa_bits, bias) * np.repeat(2.0 ** (s.astype(int) - 127), 32, 1)
            for c, s in zip(codes, scales)
        )
        stored = [c[:, ::2] | c[:, 1::2] << 4 if pack == 2 else c for c in codes]
        out = run(
            (1,), {"FORMAT": name, "PACK": pack}, x=stored[0], xs=scales[0], w=stored[1], ws=scales[1],
            out=np.zeros((32, 16), np.float32),
        )["out"]  # fmt: skip
        close(out, x @ w.T + 1, rtol=1e-5, atol=1e-5 * np.abs(x).max() * np.abs(w).max())
    scales[0][0] = 255
    out = run(
        (1,), {"FORMAT": "e2m1", "PACK": 2}, x=stored[0], xs=scales[0], w=stored[1], ws=scales[1],
        out=np.zeros((32, 16), np.float32),
    )["out"]  # fmt: skip
    assert np.isnan(out[0]).all() and np.isfinite(out[1:]).all()


# --- Kernels as people write them: programs.py ---------------------------------------------------------------


@case
def fused_softmax(kernel):
    x = normal(13, 100) * 10
    out = kernel("softmax_kernel", file="programs.py")(
        (4,), {"BLOCK_SIZE": 128, "num_stages": 2}, output_ptr=np.zeros_like(x), input_ptr=x, input_row_stride=100,
        output_row_stride=100, n_rows=13, n_cols=100,
    )  # fmt: skip
    weights = np.exp(x - x.max(1, keepdims=True))
    close(out["output_ptr"], weights / weights.sum(1, keepdims=True))


@case
def grouped_matmul(kernel):
    m, n, k = 70, 50, 40
    a, b = normal(m, k).astype(np.float16), normal(k, n).astype(np.float16)
    for activation in ("leaky_relu", ""):
        meta = {"BLOCK_SIZE_M": 32, "BLOCK_SIZE_N": 16, "BLOCK_SIZE_K": 16, "GROUP_SIZE_M": 2, "ACTIVATION": activation}
        out = kernel("matmul_kernel", file="programs.py")(
            (3 * 4,), meta, a_ptr=a, b_ptr=b, c_ptr=np.zeros((m, n), np.float16), M=m, N=n, K=k,
            stride_am=k, stride_ak=1, stride_bk=n, stride_bn=1, stride_cm=n, stride_cn=1,
        )  # fmt: skip
        product = a.astype(np.float32) @ b.astype(np.float32)
        expected = np.where(product >= 0, product, 0.01 * product) if activation else product
        close(out["c_ptr"].astype(np.float32), expected, rtol=2e-3, atol=2e-3)


@case
def layer_norm(kernel):
    x, w, b = normal(5, 300), normal(300), normal(300)
    rows = np.zeros(5, np.float32)
    out = kernel("layer_norm_fwd", file="programs.py")(
        (5,), {"BLOCK_SIZE": 128}, X=x, Y=np.zeros_like(x), W=w, B=b, Mean=rows, Rstd=rows, stride=300, N=300, eps=1e-5
    )
    normalised = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    close(out["Y"], normalised * w + b, rtol=1e-4, atol=1e-4)
    close(out["Mean"], x.mean(1), atol=1e-5)


@case
def attention(kernel):
    n, d = 64, 32
    q, k, v = normal(n, d), normal(n, d), normal(n, d)
    for stage in (1, 3):
        out = kernel("attention_fwd", file="programs.py")(
            (2,), {"HEAD_DIM": d, "BLOCK_M": 32, "BLOCK_N": 16, "STAGE": stage}, Q=q, K=k, V=v, Out=np.zeros_like(q),
            sm_scale=0.25, stride_n=d, N_CTX=n,
        )  # fmt: skip
        scores = q @ k.T * 0.25
        if stage == 3:
            scores = np.where(np.tril(np.ones((n, n))) > 0, scores, -np.inf)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        close(out["Out"], weights / weights.sum(1, keepdims=True) @ v, rtol=1e-4, atol=1e-4)


@case
def cross_entropy_loss(kernel):
    logits, labels = normal(6, 150), np.array([3, 149, 0, -100, 77, 5], np.int32)
    for smoothing in (0.0, 0.1):
        out = kernel("cross_entropy", file="programs.py")(
            (6,), {"BLOCK": 64}, logits_ptr=logits, labels_ptr=labels, loss_ptr=np.ones(6, np.float32), n_cols=150,
            ignore_index=-100, smoothing=smoothing,
        )  # fmt: skip
        lse = np.log(np.exp(logits).sum(1))
        nll = lse - logits[np.arange(6), np.maximum(labels, 0)]
        expected = nll * (1 - smoothing) + smoothing * (lse - logits.mean(1)) if smoothing else nll
        close(out["loss_ptr"], np.where(labels == -100, 0, expected), rtol=1e-4, atol=1e-4)


@case
def rotary_embedding(kernel):
    x, angle = normal(10, 32), normal(10, 16)
    out = kernel("rotary", file="programs.py")(
        (10,), {"HEAD": 32}, x_ptr=x, cos_ptr=np.cos(angle), sin_ptr=np.sin(angle), out_ptr=np.zeros_like(x), seq=10
    )
    x1, x2 = x[:, :16], x[:, 16:]
    c, s = np.cos(angle), np.sin(angle)
    close(out["out_ptr"], np.concatenate([x1 * c - x2 * s, x2 * c + x1 * s], 1), atol=1e-5)


@case
def recurrence(kernel):
    a, b = rng.uniform(0.5, 1, 100).astype(np.float32), normal(100)
    out = kernel("linear_recurrence", file="programs.py")(
        (1,), {"BLOCK": 32}, a_ptr=a, b_ptr=b, out_ptr=np.zeros_like(a), T=100
    )
    h, expected = 0.0, []
    for x, y in zip(a.astype(np.float64), b):
        h = x * h + y
        expected.append(h)
    close(out["out_ptr"], expected, rtol=1e-4, atol=1e-4)


def main():
    tool = find_tool()
    failed = 0
    for name, check in CASES.items():

        def kernel(kernel_name, options=(), file="documents/correct.py"):
            return Kernel(tool, str(HERE / file), kernel_name, options)

        try:
            check(kernel)
        except AssertionError as error:
            failed += 1
            print(f"FAIL {name}: {error}")
    print(f"runs: {len(CASES) - failed} right, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
