#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention as people write it, on one GPU: nereid beside eager PyTorch, torch.compile of the same lines, and SDPA.

    bench/gpu_attention.py FOLDER --emit BINARY [--only WORD]   no GPU: writes the programs and converts them at stage 3
    bench/gpu_attention.py FOLDER [--only WORD] [--gradients]   GPU: compares and times them, all in one process

Heads of 64 and 128 features, 4096 positions, 2 x 16 heads, full and causal; from plain lines, and in bfloat16 from
F.scaled_dot_product_attention (sdpa). SDPA is that function of PyTorch, which takes cuDNN or FlashAttention. An error is the norm of the difference to float64
(of one head) by the norm of the result. Times are medians of CUDA events with the L2 cache flushed before each call.
NEREID_CONFIG=first takes the first configuration of each kernel. Prints a table of Markdown, a line a program.
"""

import argparse
import subprocess
from pathlib import Path

from gpu_contractions import error, milliseconds
from gpu_models import load

TEXT = '''"""Attention in plain lines."""

import torch


def {name}(q, k, v):
    scores = q @ k.transpose(-2, -1) * {features} ** -0.5
{mask}    return torch.softmax(scores, dim=-1) @ v


def get_inputs():
    torch.manual_seed(0)
    return [torch.randn(2, 16, 4096, {features}, dtype=torch.{dtype}) for _ in range(3)]
'''
LIBRARY = '''"""Attention by PyTorch's function."""

import torch
import torch.nn.functional as F


def {name}(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal={causal})


def get_inputs():
    torch.manual_seed(0)
    return [torch.randn(2, 16, 4096, {features}, dtype=torch.{dtype}) for _ in range(3)]
'''
MASK = """    positions = torch.arange(q.shape[2], device=q.device)
    scores = scores.masked_fill(positions[None, :] > positions[:, None], float("-inf"))
"""
PROGRAMS = {
    f"attention_{short}_{features}_{kind}": (dtype, features, kind == "causal")
    for short, dtype in [("bf16", "bfloat16"), ("f16", "float16"), ("f32", "float32")]
    for features in (64, 128)
    for kind in ("full", "causal")
}


PROGRAMS |= {name.replace("attention", "sdpa"): what for name, what in PROGRAMS.items() if "bf16" in name}


def write(folder, name):
    dtype, features, causal = PROGRAMS[name]
    text = LIBRARY if name.startswith("sdpa") else TEXT
    text = text.format(name=name, features=features, dtype=dtype, mask=MASK if causal else "", causal=causal)
    (folder / f"{name}.py").write_text(text)


def emit(folder, names, binary):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        write(folder, name)
        command = [binary, "convert", f"{folder / name}.py", "--stage", "3", "--backward"]
        subprocess.run([*command, "-o", str(folder / name)], check=True, stdout=subprocess.DEVNULL)


def training(function, inputs):
    """A call with the gradients of all inputs."""
    import torch

    leaves = [x.detach().requires_grad_() for x in inputs]
    weight = torch.ones_like(inputs[0])

    def run():
        return torch.autograd.grad(function(*leaves), leaves, weight)

    return run


def errors(function, exact, inputs, gradients):
    """Of one head's result, or of each gradient, against float64."""
    head = [x[:1, :1].contiguous() for x in inputs]
    wide = [x.double() for x in head]
    if not gradients:
        return [error(function(*head), exact(*wide))]
    return [error(a, b) for a, b in zip(training(function, head)(), training(exact, wide)(), strict=True)]


def measure(folder, name, gradients):
    import torch
    import torch.nn.functional as F

    _, features, causal = PROGRAMS[name]
    original = load(folder / f"{name}.py")
    lines = getattr(original, name)
    own = getattr(load(folder / name / f"{name}_stage3.py"), name)
    inputs = [x.cuda() for x in original.get_inputs()]

    def library(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    ways = [own, lines, torch.compile(lines), library]
    found = [max(errors(way, lines, inputs, gradients)) for way in (own, lines)]
    times = []
    for way in ways:
        run = training(way, inputs) if gradients else (lambda way=way: way(*inputs))
        run()
        times.append(milliseconds(run))
        torch.cuda.empty_cache()
    products = 7 if gradients else 2
    flops = products * 2 * 32 * 4096**2 * features / (2 if causal else 1)
    ratios = [f"{time / times[0]:.2f}" for time in times[1:]]
    cells = [name, *(f"{time * 1e3:.0f}" for time in times), f"{flops / times[0] / 1e9:.0f}", *ratios]
    print(f"| {' | '.join(cells)} | {found[0]:.1e} | {found[1]:.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--emit", metavar="BINARY")
    parser.add_argument("--only", default="")
    parser.add_argument("--gradients", action="store_true")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if options.only in name]
    if options.emit:
        emit(options.folder, names, options.emit)
        return
    ways = ["nereid", "eager", "compile", "SDPA"]
    head = ["program", *(f"{way} us" for way in ways), "TFLOPS", *ways[1:], "error", "eager's"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for name in names:
        try:
            measure(options.folder, name, options.gradients)
        except Exception as problem:  # noqa: BLE001
            print(f"| {name} | {type(problem).__name__}: {str(problem)[:200]} |", flush=True)


if __name__ == "__main__":
    main()
