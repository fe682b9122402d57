# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel that an emitted file launches to a cubin, without a GPU.

The wrappers run on CPU tensors with every launch intercepted, so each kernel is compiled for
the very arguments, meta-parameters and options that the file gives it; an autotuned kernel for
each of its configurations. A warning is an error.

    compile_cubin.py FILE.py NAME --case 'x=f32[7,64]' [--case ...] [--init '64, 128'] [--arch 90]
    compile_cubin.py FILE.py NAME --original PROGRAM.py      (its get_inputs and get_init_inputs)

NAME is a function, or an nn.Module class that is constructed with --init. Prints one line a
kernel and configuration; exits 1 when one fails.
"""

import argparse
import contextlib
import os
import sys
import warnings

os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
os.environ.pop("TRITON_INTERPRET", None)

import cases
import loading
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

OPTIONS = ("num_warps", "num_stages", "num_ctas", "enable_fp_fusion")


class Recorder:
    """Stands for every launch: notes what would be compiled, runs nothing."""

    def __init__(self, arch):
        self.target = GPUTarget("cuda", arch, 32)
        self.requests = {}

    def record(self, kernel, arguments, keywords):
        binder = self.make_binder(kernel)
        options = {name: keywords.pop(name) for name in OPTIONS if name in keywords}
        bound, specialization, _ = binder(*arguments, **keywords)
        signature, constants, attributes = {}, {}, {}
        for place, (name, (kind, extra)) in enumerate(zip(bound, specialization)):
            signature[name] = kind
            if kind == "constexpr":
                constants[name] = extra
            elif isinstance(extra, str) and extra:
                attributes[(place,)] = self.backend.parse_attr(extra)
        key = (
            kernel.fn.__name__,
            str(signature),
            str(constants),
            str(attributes),
            str(options),
        )
        self.requests[key] = (kernel, signature, constants, attributes, options)

    def make_binder(self, kernel):
        from triton.backends import backends
        from triton.runtime.jit import create_function_from_signature

        self.backend = backends["nvidia"].compiler(self.target)
        return create_function_from_signature(kernel.signature, kernel.params, self.backend)


@contextlib.contextmanager
def intercepted(recorder):
    """Replaces the launch of plain and of autotuned kernels."""

    def run(kernel, *arguments, grid, warmup, **keywords):
        grid = grid(keywords) if callable(grid) else grid
        if not isinstance(grid, tuple) or any(extent < 1 for extent in grid):
            raise ValueError(f"{kernel.fn.__name__}: launched with the grid {grid}")
        recorder.record(kernel, arguments, dict(keywords))

    def run_all(tuner, *arguments, **keywords):
        for config in tuner.configs:
            tuner.fn.run(*arguments, **{**keywords, **config.all_kwargs()})

    saved = JITFunction.run, Autotuner.run
    JITFunction.run, Autotuner.run = run, run_all
    try:
        yield
    finally:
        JITFunction.run, Autotuner.run = saved


def compile_one(recorder, request):
    kernel, signature, constants, attributes, options = request
    source = ASTSource(kernel, signature, constexprs=constants, attrs=attributes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = triton.compile(source, target=recorder.target, options=options)
    return len(compiled.asm["cubin"])


def get_calls(options):
    """The program, and the arguments of each call."""
    program = getattr(loading.load(options.file), options.name)
    initial = eval(f"({options.init},)" if options.init else "()")
    calls = [((), cases.parse(spec)) for spec in options.cases]
    if options.original:
        original = loading.load(options.original)
        initial = getattr(original, "get_init_inputs", lambda: initial)()
        calls.append((original.get_inputs(), {}))
    if isinstance(program, type):
        program = program(*initial)
    return program, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("name")
    parser.add_argument("--case", action="append", default=[], dest="cases")
    parser.add_argument("--original")
    parser.add_argument("--init", default="")
    parser.add_argument("--arch", type=int, default=90)
    options = parser.parse_args()
    program, calls = get_calls(options)
    recorder = Recorder(options.arch)
    with intercepted(recorder), torch.no_grad():
        for arguments, keywords in calls:
            program(*arguments, **keywords)
    if not recorder.requests:
        sys.exit(f"{options.file}: no kernel was launched")
    failures = 0
    for key, request in recorder.requests.items():
        try:
            size = compile_one(recorder, request)
            print(f"{key[0]} {key[2]}: {size} bytes")
        except Exception as error:  # noqa: BLE001  (whatever upstream raises is its verdict)
            failures += 1
            print(f"{key[0]} {key[1]} {key[2]}: {type(error).__name__}: {error}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
