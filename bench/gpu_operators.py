#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators and short chains of operators at the sizes of public benchmarks, on one GPU: nereid beside eager PyTorch.

    bench/gpu_operators.py FOLDER --emit BINARY [--only WORD]    no GPU: writes the programs and converts them at stage 3
    bench/gpu_operators.py FOLDER --warm N                       GPU: compiles the kernels in N processes at once
    bench/gpu_operators.py FOLDER [--only WORD] [--compile]      GPU: compares and times them, all in one process
    bench/gpu_operators.py FOLDER --profile [--only WORD]        GPU: prints what each kernel of nereid's takes

With --chains it is the chains of operator_chains.py in place of the operators; their error is that to eager PyTorch with
all products in float32, which some of them take seconds for in float64.

Inputs are float32 and PyTorch has its default settings: products as float32, convolutions as TF32. The error is the norm
of the difference to float64 by the norm of the result. Times are medians of CUDA events, with the L2 cache flushed before
each call. NEREID_CONFIG=first takes the first configuration of each kernel. Prints a table of Markdown; the last columns are
the others' times by ours.
"""

import argparse
import copy
import os
import subprocess
import sys
from pathlib import Path
from statistics import geometric_mean

from gpu_contractions import HEAD, error, milliseconds
from gpu_models import load, tensors_of
from operator_chains import CHAINS

PARAMETERS = "wcpdgh"
MODULE = """import torch
import torch.nn as nn
import torch.nn.functional as F


class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
{parameters}
    def forward(self, {arguments}):
{own}        return {body}


def get_inputs():
    torch.manual_seed(0)
    return [{inputs}]
"""

# name: the expression, and the sizes of what it reads; those with names of PARAMETERS are of a module.
PROGRAMS = {
    "matmul_irregular": ("a @ b", {"a": (8205, 2949), "b": (2949, 5921)}),
    "matmul_tall": ("a @ b", {"a": (32768, 64), "b": (64, 4096)}),
    "matmul_large_k": ("a @ b", {"a": (256, 524288), "b": (524288, 256)}),
    "matmul_small_k": ("a @ b", {"a": (32768, 64), "b": (64, 32768)}),
    "matvec": ("a @ b", {"a": (2048, 1048576), "b": (1048576, 1)}),
    "matmul_3d": ("torch.matmul(a, b)", {"a": (16, 1024, 2048), "b": (2048, 768)}),
    "matmul_4d": ("torch.einsum('bijl,lk->bijk', a, b)", {"a": (8, 256, 512, 256), "b": (256, 768)}),
    "matmul_triangular": (
        "torch.triu(torch.matmul(torch.triu(a), torch.triu(b)))",
        {"a": (4096, 4096), "b": (4096, 4096)},
    ),
    "matmul_diagonal": ("torch.diag(a) @ b", {"a": (4096,), "b": (4096, 4096)}),
    "gelu": ("F.gelu(x)", {"x": (4096, 98304)}),
    "softmax": ("torch.softmax(x, dim=1)", {"x": (4096, 98304)}),
    "log_softmax": ("torch.log_softmax(x, dim=1)", {"x": (4096, 98304)}),
    "batch_norm": (
        "F.batch_norm(x, None, None, w, c, training=True)",
        {"x": (64, 64, 256, 256), "w": (64,), "c": (64,)},
    ),
    "instance_norm": ("F.instance_norm(x)", {"x": (64, 64, 256, 256)}),
    "group_norm": ("F.group_norm(x, 8, w, c)", {"x": (64, 64, 256, 256), "w": (64,), "c": (64,)}),
    "rms_norm": ("x / torch.sqrt(torch.mean(x**2, dim=1, keepdim=True) + 1e-5)", {"x": (64, 64, 256, 256)}),
    "frobenius_norm": ("x / torch.norm(x, p='fro')", {"x": (64, 64, 256, 256)}),
    "l2_norm": ("x / torch.norm(x, p=2, dim=1, keepdim=True)", {"x": (32768, 16384)}),
    "layer_norm": (
        "F.layer_norm(x, x.shape[1:], w, c)",
        {"x": (16, 64, 256, 256), "w": (64, 256, 256), "c": (64, 256, 256)},
    ),
    "max_pool1d": ("F.max_pool1d(x, 8, 1, 4, dilation=3)", {"x": (64, 192, 16384)}),
    "max_pool2d": ("F.max_pool2d(x, 4, 1, 1)", {"x": (32, 64, 256, 256)}),
    "max_pool3d": ("F.max_pool3d(x, 3, 2, 1, dilation=3)", {"x": (16, 32, 96, 96, 96)}),
    "avg_pool1d": ("F.avg_pool1d(x, 8, 1, 4)", {"x": (64, 128, 32768)}),
    "avg_pool2d": ("F.avg_pool2d(x, 11)", {"x": (16, 64, 1024, 1024)}),
    "avg_pool3d": ("F.avg_pool3d(x, 3, 2, 1)", {"x": (16, 32, 96, 96, 128)}),
    "sum_of_rows": ("x.sum(1, keepdim=True)", {"x": (128, 4096, 1024)}),
    "max_of_rows": ("x.amax(1)", {"x": (128, 4096, 1024)}),
    "argmax": ("torch.argmax(x, dim=1)", {"x": (128, 4096, 1024)}),
    "cumsum": ("torch.cumsum(x, dim=1)", {"x": (32768, 16384)}),
    "cumprod": ("torch.cumprod(x, dim=1)", {"x": (32768, 16384)}),
    "reverse_cumsum": ("torch.cumsum(x.flip(1), dim=1).flip(1)", {"x": (32768, 16384)}),
    "mse_loss": ("torch.mean((x - y) ** 2)", {"x": (32768, 16384), "y": (32768, 16384)}),
    "cross_entropy": ("F.cross_entropy(x, t)", {"x": (32768, 4096), "t": (32768, 4096, "index")}),
    "kl_div": (
        "F.kl_div(torch.log(x), y, reduction='batchmean')",
        {"x": (8192, 8192, "unit"), "y": (8192, 8192, "unit")},
    ),
    "triplet_loss": (
        "F.triplet_margin_loss(x, y, z)",
        {"x": (16384, 8192), "y": (16384, 8192), "z": (16384, 8192)},
    ),
    "conv1d": ("F.conv1d(x, w)", {"x": (32, 64, 131072), "w": (128, 64, 3)}),
    "conv1d_strided": ("F.conv1d(x, w, stride=3, dilation=4)", {"x": (32, 64, 131072), "w": (128, 64, 3)}),
    "conv2d_square": ("F.conv2d(x, w)", {"x": (16, 16, 512, 512), "w": (128, 16, 3, 3)}),
    "conv2d_asymmetric": ("F.conv2d(x, w)", {"x": (8, 64, 256, 512), "w": (128, 64, 5, 7)}),
    "conv2d_strided": (
        "F.conv2d(x, w, stride=2, padding=(2, 4), dilation=(2, 3))",
        {"x": (8, 32, 512, 512), "w": (64, 32, 5, 9)},
    ),
    "conv2d_first": (
        "F.conv2d(x, w, c, stride=4, padding=2)",
        {"x": (256, 3, 224, 224), "w": (96, 3, 11, 11), "c": (96,)},
    ),
    "conv3d": ("F.conv3d(x, w)", {"x": (16, 3, 64, 64, 64), "w": (64, 3, 3, 3, 3)}),
    "conv3d_channels": ("F.conv3d(x, w, padding=1)", {"x": (8, 32, 32, 64, 64), "w": (64, 32, 3, 3, 3)}),
    "conv3d_asymmetric": ("F.conv3d(x, w)", {"x": (8, 3, 16, 128, 128), "w": (64, 3, 3, 5, 7)}),
    "conv_transpose1d": ("F.conv_transpose1d(x, w)", {"x": (64, 128, 16384), "w": (128, 128, 3)}),
    "conv_transpose1d_dilated": (
        "F.conv_transpose1d(x, w, stride=2, padding=1, dilation=2)",
        {"x": (16, 32, 65536), "w": (32, 64, 3)},
    ),
    "conv_transpose2d": ("F.conv_transpose2d(x, w)", {"x": (8, 64, 256, 256), "w": (64, 64, 3, 3)}),
    "conv_transpose2d_strided": (
        "F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1)",
        {"x": (16, 64, 128, 128), "w": (64, 128, 3, 3)},
    ),
    "conv_transpose2d_grouped": (
        "F.conv_transpose2d(x, w, stride=(2, 3), padding=(1, 2), dilation=(2, 1), groups=4)",
        {"x": (16, 32, 128, 256), "w": (32, 16, 3, 5)},
    ),
    "conv_transpose3d": ("F.conv_transpose3d(x, w)", {"x": (8, 48, 32, 32, 32), "w": (48, 48, 3, 3, 3)}),
    "conv_transpose3d_strided": (
        "F.conv_transpose3d(x, w, stride=2, padding=3, groups=4)",
        {"x": (4, 32, 24, 48, 48), "w": (32, 16, 3, 3, 3)},
    ),
    "conv_transpose3d_dilated": (
        "F.conv_transpose3d(x, w, stride=2, padding=1, dilation=2)",
        {"x": (16, 32, 16, 32, 32), "w": (32, 64, 3, 3, 3)},
    ),
    "conv_depthwise2d": ("F.conv2d(x, w, groups=64)", {"x": (16, 64, 512, 512), "w": (64, 1, 3, 3)}),
    "conv_depthwise2d_wide": ("F.conv2d(x, w, padding=3, groups=128)", {"x": (32, 128, 128, 128), "w": (128, 1, 7, 7)}),
    "conv_separable": (
        "F.conv2d(F.conv2d(x, w, padding=1, groups=64), p)",
        {"x": (16, 64, 256, 256), "w": (64, 1, 3, 3), "p": (128, 64, 1, 1)},
    ),
    "conv_pointwise": ("F.conv2d(x, w)", {"x": (16, 64, 512, 512), "w": (128, 64, 1, 1)}),
    "chain_conv2d_relu_bias": (
        "torch.relu(F.conv2d(x, w, c)) + d",
        {"x": (128, 64, 128, 128), "w": (128, 64, 3, 3), "c": (128,), "d": (128, 1, 1)},
    ),
    "chain_conv2d_mish": (
        "F.mish(F.mish(F.conv2d(x, w, c) - 0.5))",
        {"x": (64, 64, 128, 128), "w": (128, 64, 3, 3), "c": (128,)},
    ),
    "chain_conv2d_pool": (
        "F.max_pool2d(F.hardswish(F.conv2d(x, w, c) - 0.5), 2).mul(2)",
        {"x": (64, 64, 128, 128), "w": (128, 64, 3, 3), "c": (128,)},
    ),
    "chain_conv2d_instance_norm": (
        "F.instance_norm(F.conv2d(x, w, c)) / 2.0",
        {"x": (64, 64, 128, 128), "w": (128, 64, 3, 3), "c": (128,)},
    ),
    "chain_conv2d_min": (
        "torch.tanh(torch.tanh(torch.min(F.conv2d(x, w, c), dim=1, keepdim=True)[0]))",
        {"x": (64, 16, 256, 256), "w": (64, 16, 3, 3), "c": (64,)},
    ),
    "chain_conv3d_softmax": (
        "F.max_pool3d(F.max_pool3d(torch.softmax(F.conv3d(x, w, c), dim=1), 2), 2)",
        {"x": (64, 3, 16, 32, 32), "w": (16, 3, 3, 3, 3), "c": (16,)},
    ),
    "chain_conv3d_group_norm": (
        "F.group_norm(F.conv3d(x, w, c), 8).mean(dim=[1, 2, 3, 4])",
        {"x": (64, 3, 24, 32, 32), "w": (24, 3, 3, 3, 3), "c": (24,)},
    ),
    "chain_conv_transpose2d_logsumexp": (
        "torch.logsumexp(F.conv_transpose2d(x, w, c).mean(dim=(2, 3), keepdim=True) + d, dim=1).sum(dim=(1, 2))",
        {"x": (16, 64, 256, 256), "w": (64, 128, 3, 3), "c": (128,), "d": (128, 1, 1)},
    ),
    "chain_conv_transpose2d_gelu": (
        "F.gelu(torch.clamp(F.conv_transpose2d(x, w, c, stride=2) + 0.5, max=0.0)) * 2.0",
        {"x": (64, 64, 64, 64), "w": (64, 128, 4, 4), "c": (128,)},
    ),
    "chain_conv_transpose3d_swish": (
        "F.hardswish(F.group_norm(F.silu(F.conv_transpose3d(x, w, c, stride=2, padding=1)), 4))",
        {"x": (32, 3, 16, 32, 32), "w": (3, 16, 3, 3, 3), "c": (16,)},
    ),
    "chain_conv_transpose3d_pools": (
        "F.max_pool3d(F.max_pool3d(F.conv_transpose3d(x, w, c, stride=2, padding=2), 2), 3).sum(dim=1)",
        {"x": (16, 32, 32, 32, 32), "w": (32, 64, 5, 5, 5), "c": (64,)},
    ),
    "chain_linear_mish": ("F.mish(F.mish(F.linear(x, w, c)))", {"x": (1024, 8192), "w": (8192, 8192), "c": (8192,)}),
    "chain_linear_group_norm": (
        "F.hardtanh(F.group_norm(F.linear(x, w, c), 16))",
        {"x": (1024, 8192), "w": (8192, 8192), "c": (8192,)},
    ),
    "chain_linear_logsumexp": (
        "F.gelu(F.leaky_relu(torch.logsumexp(F.linear(x, w, c), dim=1, keepdim=True)))",
        {"x": (1024, 8192), "w": (8192, 8192), "c": (8192,)},
    ),
    "chain_linear_max": (
        "F.gelu(torch.max(F.linear(x, w, c), dim=1, keepdim=True)[0] - 0.5)",
        {"x": (1024, 8192), "w": (8192, 8192), "c": (8192,)},
    ),
    "chain_linear_softmax": (
        "torch.softmax(F.gelu(F.linear(x, w, c)), dim=1)",
        {"x": (1024, 8192), "w": (8192, 8192), "c": (8192,)},
    ),
    "chain_linear_sum": (
        "((x @ w.T) / 2).sum(dim=1, keepdim=True) * 1.5",
        {"x": (1024, 8192), "w": (8192, 8192)},
    ),
    "chain_bmm_norm": (
        "(F.instance_norm(F.linear(x, w, c)[None])[0] + y) * y",
        {"x": (1024, 8192), "w": (8192, 8192), "c": (8192,), "y": (1024, 8192)},
    ),
    "attention_f32": (
        "F.scaled_dot_product_attention(q, k, v)",
        {"q": (32, 32, 512, 128), "k": (32, 32, 512, 128), "v": (32, 32, 512, 128)},
    ),
}


def made(shape):
    """The text of an input: normal, or uniform above zero, or indices below the last number."""
    if shape[-1] == "index":
        return f"torch.randint({shape[-2]}, {shape[:-2]})"
    return f"torch.rand({shape[:-1]}) + 0.01" if shape[-1] == "unit" else f"torch.randn({shape})"


def write(folder, name, program):
    """A function of its inputs, or a module where there are parameters."""
    body, shapes = program
    inputs = {each: made(shape) for each, shape in shapes.items() if each not in PARAMETERS}
    parameters = {each: made(shape) for each, shape in shapes.items() if each in PARAMETERS}
    values = {"name": name, "arguments": ", ".join(inputs), "inputs": ", ".join(inputs.values())}
    if parameters:
        lines = "".join(f"        self.{each} = nn.Parameter({text})\n" for each, text in parameters.items())
        own = "".join(f"        {each} = self.{each}\n" for each in parameters)
        text = MODULE.format(**values, parameters=lines, own=own, body=body)
    else:
        text = HEAD.format(**values, body=body)
    (folder / f"{name}.py").write_text(text)


def prepared(folder, name):
    """The two functions, and inputs that are made on the GPU."""
    import torch

    original = load(folder / f"{name}.py")
    with torch.device("cuda"):
        inputs = original.get_inputs()
        both = [getattr(original, name), getattr(load(folder / name / f"{name}_stage3.py"), name)]
        if isinstance(both[0], type):
            both = [module().requires_grad_(False) for module in both]
            both[1].load_state_dict(both[0].state_dict())
    return *both, inputs


def exact_of(function, inputs, dtype):
    """The first result in float64, or None where it does not fit the GPU's memory; without TF32 where it is float32."""
    import torch

    if dtype == torch.float32:
        with torch.backends.cudnn.flags(allow_tf32=False):
            return tensors_of([function(*inputs)])[0]
    try:
        if isinstance(function, torch.nn.Module):
            function = copy.deepcopy(function).double()
        return tensors_of([function(*(x.double() if x.is_floating_point() else x for x in inputs))])[0]
    except torch.OutOfMemoryError:
        return None


def profile(folder, name):
    """Prints what each kernel of a call takes."""
    import torch
    from torch.profiler import ProfilerActivity

    _, own, inputs = prepared(folder, name)
    own(*inputs)
    calls = 5
    with torch.profiler.profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(calls):
            own(*inputs)
        torch.cuda.synchronize()
    for event in sorted(profiler.key_averages(), key=lambda event: -event.device_time_total):
        if event.device_time_total:
            print(
                f"{name}: {event.key[:60]} {event.device_time_total / calls:.0f} us, {event.count // calls} launches",
                flush=True,
            )


def measure(folder, name, compiles, dtype):
    import torch

    function, own, inputs = prepared(folder, name)
    exact, errors = exact_of(function, inputs, dtype), ("", "")
    if exact is not None:
        errors = [f"{error(each(*inputs), exact.double()):.1e}" for each in (own, function)]
    del exact
    torch.cuda.empty_cache()
    times = [milliseconds(lambda: own(*inputs)), milliseconds(lambda: function(*inputs))]
    if compiles:
        compiled = torch.compile(function)
        compiled(*inputs)
        times.append(milliseconds(lambda: compiled(*inputs)))
    gains = [time / times[0] for time in times[1:]]
    print(
        f"| {name} | {' | '.join(f'{time * 1e3:.0f}' for time in times)} | {errors[0]} | {errors[1]} "
        f"| {' | '.join(f'{gain:.2f}' for gain in gains)} |",
        flush=True,
    )
    return gains[0]


def warm(folder, names, processes):
    """Runs each program once, so many at a time."""
    command = [sys.executable, __file__, str(folder), "--once"]
    running, left = {}, list(names)
    while left or running:
        while left and len(running) < processes:
            name = left.pop(0)
            running[name] = subprocess.Popen([*command, name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        name = next(iter(running))
        _, message = running[name].communicate()
        if running.pop(name).returncode:
            print(f"{name}: {message.decode().strip().splitlines()[-1]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--emit", metavar="BINARY")
    parser.add_argument("--only", default="")
    parser.add_argument("--chains", action="store_true", help="the chains of operator_chains.py")
    parser.add_argument("--warm", type=int, metavar="N")
    parser.add_argument("--once", metavar="NAME")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--profile", action="store_true", help="print the times of nereid's kernels alone")
    options = parser.parse_args()
    programs = CHAINS if options.chains else PROGRAMS
    names = [name for name in programs if any(word in name for word in options.only.split(","))]
    if options.emit:
        options.folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            write(options.folder, name, programs[name])
            command = [options.emit, "convert", f"{options.folder / name}.py", "--stage", "3"]
            subprocess.run([*command, "-o", str(options.folder / name)], check=True, stdout=subprocess.DEVNULL)
        return
    if options.once:
        os.environ["NEREID_CONFIG"] = "first"
        _, own, inputs = prepared(options.folder, options.once)
        own(*inputs)
        return
    if options.warm:
        warm(options.folder, names, options.warm)
        return
    if options.profile:
        for name in names:
            profile(options.folder, name)
        return
    import torch

    dtype = torch.float32 if options.chains else torch.float64
    ways = ["nereid", "eager", *["compile"] * options.compile]
    head = ["program", *(f"{way} us" for way in ways), "error", "eager's", *(f"of {way}" for way in ways[1:])]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    gains = []
    for name in names:
        try:
            gains.append(measure(options.folder, name, options.compile, dtype))
        except Exception as message:
            print(f"{name}: {type(message).__name__}: {str(message).splitlines()[:1]}", flush=True)
    print(f"geometric mean of eager's times by ours over {len(gains)} programs: {geometric_mean(gains):.2f}")


if __name__ == "__main__":
    main()
