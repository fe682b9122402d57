#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions and what stands around them on one GPU: nereid beside eager PyTorch and torch.compile.

    bench/gpu_contractions.py FOLDER --emit BINARY [--only WORD]    no GPU: writes the programs and converts them at stage 3
    bench/gpu_contractions.py FOLDER [--only WORD] [--compile]      GPU: compares and times them, all in one process

PyTorch has its default settings: float32 products as float32, convolutions as TF32. An error is the norm of the
difference to float64 by the norm of the result. Times are medians of CUDA events, with the L2 cache flushed before each
call; TFLOPS count a product and a sum as two. NEREID_CONFIG=first takes the first configuration of each kernel.
Prints a table of Markdown, a line a program; the last column is eager's time by ours.
"""

import argparse
import subprocess
from pathlib import Path
from statistics import geometric_mean

from gpu_models import load

HEAD = """import torch
import torch.nn.functional as F


def {name}({arguments}):
    return {body}


def get_inputs():
    torch.manual_seed(0)
    return [{inputs}]
"""


def program(body, flops, **shapes):
    return body, flops, shapes


def linear(m, n, k, dtype="float32"):
    return program("x @ w.t()", 2 * m * n * k, x=((m, k), dtype), w=((n, k), dtype))


def product(m, n, k, dtype="float32"):
    return program("a @ b", 2 * m * n * k, a=((m, k), dtype), b=((k, n), dtype))


def batched(b, m, n, k, dtype):
    return program("a @ b.transpose(-1, -2)", 2 * b * m * n * k, a=((b, m, k), dtype), b=((b, n, k), dtype))


def conv(n, c, o, size, kernel, stride, dtype="float32"):
    pad, out = kernel // 2, (size + 2 * (kernel // 2) - kernel) // stride + 1
    body = f"F.conv2d(x, w, b, stride={stride}, padding={pad})"
    flops = 2 * n * o * out * out * c * kernel * kernel
    return program(body, flops, x=((n, c, size, size), dtype), w=((o, c, kernel, kernel), dtype), b=((o,), dtype))


PROGRAMS = {
    "linear_f32_4096": linear(4096, 4096, 4096),
    "linear_f32_8192_1024_1024": linear(8192, 1024, 1024),
    "linear_f32_2048_3072_768": linear(2048, 3072, 768),
    "linear_f32_64_4096_4096": linear(64, 4096, 4096),
    "product_f32_2048": product(2048, 2048, 2048),
    "product_f32_1024": product(1024, 1024, 1024),
    "product_f32_4096": product(4096, 4096, 4096),
    "product_f32_left_across": program(
        "a.t() @ b", 2 * 4096**3, a=((4096, 4096), "float32"), b=((4096, 4096), "float32")
    ),
    "product_f32_both_across": program(
        "a.t() @ b.t()", 2 * 4096**3, a=((4096, 4096), "float32"), b=((4096, 4096), "float32")
    ),
    "product_f32_long": product(256, 256, 131072),
    "product_f32_short": product(16384, 16384, 16),
    "batched_f32": program(
        "torch.bmm(a, b)",
        2 * 128 * 512 * 1024 * 2048,
        a=((128, 512, 1024), "float32"),
        b=((128, 1024, 2048), "float32"),
    ),
    "gram_f32": program("x.t() @ x", 2 * 512 * 512 * 65536, x=((65536, 512), "float32")),
    "linear_bf16_4096": linear(4096, 4096, 4096, "bfloat16"),
    "linear_bf16_8192_4096_1024": linear(8192, 4096, 1024, "bfloat16"),
    "linear_bf16_16_4096_4096": linear(16, 4096, 4096, "bfloat16"),
    "product_bf16_2048": product(2048, 2048, 2048, "bfloat16"),
    "product_f16_odd": product(1999, 3001, 1013, "float16"),
    "scores_bf16": batched(96, 1024, 1024, 64, "bfloat16"),
    "linear_gelu_residual_bf16": program(
        "r + F.gelu(F.linear(x, w, b))",
        2 * 8192 * 4096 * 1024,
        x=((8192, 1024), "bfloat16"),
        w=((4096, 1024), "bfloat16"),
        b=((4096,), "bfloat16"),
        r=((8192, 4096), "bfloat16"),
    ),
    "swiglu_bf16": program(
        "F.silu(x @ g.t()) * (x @ u.t())",
        4 * 4096 * 2816 * 1024,
        x=((4096, 1024), "bfloat16"),
        g=((2816, 1024), "bfloat16"),
        u=((2816, 1024), "bfloat16"),
    ),
    "linear_relu_f32": program(
        "torch.relu(F.linear(x, w, b))",
        2 * 4096 * 2048 * 1024,
        x=((4096, 1024), "float32"),
        w=((2048, 1024), "float32"),
        b=((2048,), "float32"),
    ),
    "conv3x3_f32_56": conv(32, 64, 64, 56, 3, 1),
    "conv3x3_f32_14": conv(32, 256, 256, 14, 3, 1),
    "conv3x3_f32_stride": conv(32, 128, 256, 28, 3, 2),
    "conv1x1_f32": conv(32, 256, 1024, 14, 1, 1),
    "conv7x7_f32": conv(32, 3, 64, 224, 7, 2),
    "conv3x3_bf16_28": conv(32, 128, 128, 28, 3, 1, "bfloat16"),
}


def write(folder, name):
    body, _, shapes = PROGRAMS[name]
    inputs = ", ".join(f"torch.randn({size}, dtype=torch.{dtype})" for size, dtype in shapes.values())
    text = HEAD.format(name=name, arguments=", ".join(shapes), body=body, inputs=inputs)
    (folder / f"{name}.py").write_text(text)


def milliseconds(run):
    import triton

    return triton.testing.do_bench(run, warmup=50, rep=200, return_mode="median")


def error(result, exact):
    return float((result.double() - exact).norm() / exact.norm())


def measure(folder, name, compiles):
    import torch

    original = load(folder / f"{name}.py")
    function = getattr(original, name)
    own = getattr(load(folder / name / f"{name}_stage3.py"), name)
    inputs = [x.cuda() for x in original.get_inputs()]
    exact = function(*(x.double() for x in inputs))
    errors = error(own(*inputs), exact), error(function(*inputs), exact)
    del exact
    times = [milliseconds(lambda: own(*inputs)), milliseconds(lambda: function(*inputs))]
    if compiles:
        compiled = torch.compile(function)
        compiled(*inputs)
        times.append(milliseconds(lambda: compiled(*inputs)))
    flops = PROGRAMS[name][1]
    rates = [f"{flops / time / 1e9:.0f}" for time in times]
    print(
        f"| {name} | {' | '.join(f'{time * 1e3:.1f}' for time in times)} | {' | '.join(rates)} "
        f"| {errors[0]:.1e} | {errors[1]:.1e} | {times[1] / times[0]:.2f} |",
        flush=True,
    )
    return times[1] / times[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--emit", metavar="BINARY")
    parser.add_argument("--only", default="")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if options.only in name]
    if options.emit:
        options.folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            write(options.folder, name)
            command = [options.emit, "convert", f"{options.folder / name}.py", "--stage", "3"]
            subprocess.run([*command, "-o", str(options.folder / name)], check=True, stdout=subprocess.DEVNULL)
        return
    ways = ["nereid", "eager", *["compile"] * options.compile]
    head = ["program", *(f"{way} us" for way in ways), *(f"{way} TFLOPS" for way in ways)]
    head += ["error", "eager's", "gain"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    gains = [measure(options.folder, name, options.compile) for name in names]
    print(f"geometric mean of the gains over {len(gains)} programs: {geometric_mean(gains):.2f}")


if __name__ == "__main__":
    main()
