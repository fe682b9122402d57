# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often an emitted file asks for a compilation and for times while its sizes change.

    compilations.py BINARY [--only WORD] [--stage 3]

Calls each example's file over 50 values of each of its sizes, with launches that reach no device (mute.py). A kernel may
be compiled once for each block, configuration and alignment class: whether the arguments that upstream specialises are
multiples of 16, or 1. Along one size those classes are few, so no kernel may need more than `MOST` for each block and
configuration; and its configurations are timed once for each block. Exits 1 on a file that asks more often.
"""

import argparse
import collections
import importlib.util
import inspect
import subprocess
import sys
import tempfile
from pathlib import Path

import mute  # before triton
import torch
from triton.runtime.autotuner import Autotuner

ROOT = Path(__file__).resolve().parents[2]
SIZES = [*range(1, 20), *(2**k for k in range(5, 15)), *(3 * 2**k for k in range(3, 13)), 1000, 1001, 2002, 4100, 5003]
SIZES += [6008, 7777, 10000, 12345, 16000, 20480]
# Along one size the classes are few: it is 1 or 2 (and its half is 1), or a multiple of 1, 2, 4, 8 or 16, so that twice,
# four and eight times the size are multiples of 16 or not, and of what else a launch tells the divisor there are as many.
MOST = 9


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(module, example):
    program = getattr(module, module._NAME)
    if not isinstance(program, type):
        return program
    init = getattr(load(example), "get_init_inputs", list)()
    return program(*(init if isinstance(init, (list, tuple)) else [init])).eval()


def make(shape, dtype, below=2):
    # Memory that nobody touches costs nothing.
    return torch.zeros(shape, dtype=dtype) if dtype == torch.int64 else torch.empty(shape, dtype=dtype)


def sweep(program, inputs, name, asked):
    """Calls the program over the sizes; says how many calls it accepted."""
    asked.clear()
    accepted = 0
    for size in SIZES:
        try:
            program(**inputs(make, **{name: size}))
        except (RuntimeError, ValueError):
            continue
        accepted += 1
    return accepted


def judge(asked):
    """What was asked for too often, in words."""
    problems = []
    for kernel, entries in asked.compiled.items():
        if len(entries) != len(set(entries)):
            problems.append(f"{kernel} is compiled twice for the same block, configuration and alignment")
        # Sizes that are 1 are constants too; they belong to the alignment class.
        blocks = collections.Counter(
            (tuple((key, value) for key, value in known if key.isupper() and key.startswith("BLOCK")), warps, stages)
            for known, warps, stages, _ in entries
        )
        for block, count in blocks.items():
            if count > MOST:
                problems.append(f"{kernel} is compiled {count} times for {block}")
    for kernel, keys in asked.tuned.items():
        if len(keys) != len(set(keys)):
            problems.append(f"{kernel} is timed twice for one block")
        if len(keys) > 20:
            problems.append(f"{kernel} is timed for {len(keys)} blocks")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--stage", default="3")
    options = parser.parse_args()
    asked = mute.install()
    # However little a kernel moves, all of its configurations count.
    Autotuner.prune_configs = lambda self, options: self.configs
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    failures = sweeps = 0
    examples = [path for path in sorted((ROOT / "examples").glob("*.py")) if options.only in path.stem]
    with tempfile.TemporaryDirectory() as folder:
        for example in examples:
            place = Path(folder) / example.stem
            command = [options.binary, "convert", example, "--stage", options.stage, "--standalone", "-o", place]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failures += 1
                print(f"FAIL {example.stem}: {done.stderr.strip()[:300]}")
                continue
            [path] = place.glob("*_stage?.py")
            for name in list(inspect.signature(load(path)._inputs).parameters)[1:]:
                # A fresh module has fresh caches.
                module = load(path)
                module._FILE = module
                accepted = sweep(build(module, example), module._inputs, name, asked)
                problems = judge(asked)
                sweeps += accepted > 0 and not problems
                failures += bool(problems)
                compiled = sum(map(len, asked.compiled.values()))
                tuned = sum(map(len, asked.tuned.values()))
                print(f"{'FAIL' if problems else 'ok  '} {example.stem}, {name}: {accepted} calls, ", end="")
                print(f"{compiled} compilations, {tuned} timed", flush=True)
                for problem in problems:
                    print(f"    {problem}")
    print(f"compilations: {sweeps} right, {failures} wrong")
    return 1 if failures or not sweeps else 0


if __name__ == "__main__":
    sys.exit(main())
