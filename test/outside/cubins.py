# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream Triton compiles every kernel of the emitted examples to a cubin, without a warning and without a GPU.

    cubins.py BINARY [--stage 1 --stage 2 ...] [--arch 90] [--programs | --backward] [--only WORD] [--share K/N] [--jobs N]

With --programs those of test/programs with their gradients, else examples/. Each kernel with its first configuration; the types of its arguments are those of its tile IR, so that kernels for strided
inputs and for long rows are compiled too. Beside this, cubin_sweep.py compiles what the wrappers launch, specialised to
the arguments as a launch does it, in all configurations. A kernel that occurs again is compiled once.
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import re
import sys
import tempfile
import warnings

os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
os.environ.pop("TRITON_INTERPRET", None)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "triton"))

import emitted_kernels
import gradients
import loading
import programs
import shares
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


def compile_kernel(path, kernel, arch):
    """The size of the cubin."""
    function = getattr(loading.load(path), kernel.name)
    while not isinstance(function, triton.JITFunction):
        function = function.fn
    # What launches tell of the sizes, which here are of no value.
    constants = kernel.constants | ({"ALIGN": 8} if "ALIGN" in function.arg_names else {})
    signature = {**kernel.signature, **dict.fromkeys(constants, "constexpr")}
    source = ASTSource(function, signature, constexprs=constants)
    options = {"num_warps": kernel.warps, "num_stages": kernel.stages}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)
    return len(compiled.asm["cubin"])


def code_of(path, kernel):
    """What the compiler sees of a kernel: its text without name and documentation, and how it is specialised."""
    text = path.read_text()
    start = text.index(f"def {kernel.name}(")
    body = re.split(r"\n(?=\S)", text[start:].replace(kernel.name, "kernel"), maxsplit=1)[0]
    body = re.sub(r'"""[\s\S]*?"""', "", body, count=1)
    return body + repr((kernel.signature, kernel.constants, kernel.warps, kernel.stages))


def compile_program(job):
    """(kernels that were compiled, failures) of one program at one stage."""
    binary, title, source, options, stage, archs, seen = job
    title = f"{title} stage {stage}"
    failures, compiled = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "emitted.py")
        kernels, problem = emitted_kernels.compile_program(binary, source, stage, path, options)
        if problem:
            return 0, [f"{title}: {problem.strip()[:400]}"]
        for kernel in kernels:
            code = code_of(path, kernel)
            # Functions that a kernel calls are not in its text.
            if code in seen and not re.search(r"\b_\w+\b", code):
                continue
            seen[code] = True
            for arch in archs:
                try:
                    compile_kernel(path, kernel, arch)
                    compiled += 1
                except Exception as error:  # noqa: BLE001  (whatever upstream raises is its verdict)
                    text = f"{type(error).__name__}: {error}"[-600:]
                    failures.append(f"{title} sm_{arch}: {kernel.name}: {text}")
    return compiled, failures


def examples(backward=False):
    """(title, source, options) of each example, and of its gradient."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield path.stem, path, []
        if backward and path.stem not in gradients.REFUSED:
            yield f"{path.stem} backward", path, ["--backward"]


def test_programs():
    """(title, source, options) of each program of test/programs, and of its gradient."""
    for path in sorted((ROOT / "test/programs").glob("*.py")):
        expected = programs.Expected(path)
        source = f"{path}:{expected.name}" if expected.name else path
        yield path.stem, source, expected.options
        if not expected.refusal and not expected.is_forward:
            yield f"{path.stem} backward", source, [*expected.options, "--backward"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--stage", action="append", type=int)
    parser.add_argument("--arch", action="append", type=int)
    parser.add_argument("--programs", action="store_true", help="those of test/programs, with their gradients")
    parser.add_argument("--only", default="")
    parser.add_argument("--backward", action="store_true", help="the examples with their gradients too")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tasks = test_programs() if options.programs else examples(options.backward)
    tasks = shares.choose([task for task in tasks if options.only in task[0]], options.share)
    compiled, failures = 0, []
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager, concurrent.futures.ProcessPoolExecutor(options.jobs, context) as pool:
        seen = manager.dict()
        binary = pathlib.Path(options.binary).resolve()
        jobs = [
            (binary, *task, stage, options.arch or [90], seen)
            for task in tasks
            for stage in options.stage or [1, 2]
        ]
        for count, problems in pool.map(compile_program, jobs):
            compiled += count
            failures += problems
            print("".join(f"FAIL {problem}\n" for problem in problems), end="", flush=True)
    print(f"cubins: {compiled} right, {len(failures)} wrong; kernels of {len(jobs)} files")
    return 1 if failures or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
