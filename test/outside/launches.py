# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether launches that an emitted file remembers are those that Triton would make anew.

    launches.py BINARY [--only WORD] [--stage 3] [--calls 60]

Each example's file is loaded twice. One remembers its launches, the other forgets them before each call. Both get the
same calls: sizes that come again, that are 1 and multiples of 16 or not, tensors that start off an alignment of 16 bytes,
transposed ones. Each launch must have the same kernel, specialisation, configuration, grid and numbers, with launches
that reach no device (mute.py). Exits 1 on a difference, or when nothing was remembered.
"""

import argparse
import inspect
import random
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import mute  # before triton
import torch
from compilations import build, load
from triton.runtime.autotuner import Autotuner

ROOT = Path(__file__).resolve().parents[2]
SIZES = [1, 2, 3, 8, 16, 17, 32, 48, 64, 100]


def maker(odd, transposed):
    """Makes tensors of zeros that start one element behind an aligned address, or whose last axes are swapped."""

    def make(shape, dtype, below=2):
        count = 1
        for size in shape:
            count *= size
        x = torch.zeros(count + odd, dtype=dtype)[odd:].view(shape)
        if transposed and x.dim() > 1:
            x = x.transpose(-1, -2).contiguous().transpose(-1, -2)
        return x

    return make


def launchers(module):
    return [kernel for kernel in vars(module).values() if hasattr(kernel, "known")]


def call(module, program, inputs, asked):
    """The launches of one call, tensors by type and alignment."""
    asked.heard = heard = []
    refusal = ""
    try:
        program(**inputs)
    except (RuntimeError, ValueError) as error:
        refusal = str(error)
    asked.heard = None

    def describe(x):
        return (x.dtype, x.data_ptr() % 16) if isinstance(x, torch.Tensor) else (type(x), x)

    return refusal, [(*launch, tuple(map(describe, arguments))) for *launch, arguments in heard]


def compare(path, example, calls, asked):
    """How many launches were remembered, and the first difference."""
    ours, fresh = load(path), load(path)
    ours._FILE = ours
    programs = build(ours, example), build(fresh, example)
    names = list(inspect.signature(ours._inputs).parameters)[1:]
    numbers = random.Random(example.stem)
    remembered = 0
    for _ in range(calls):
        # Some programs take no sizes but those that belong together: the typical ones.
        varied = names if numbers.random() < 0.6 else numbers.sample(names, len(names) > 0)
        sizes = {name: numbers.choice(SIZES) for name in varied}
        make = maker(numbers.random() < 0.25, numbers.random() < 0.25)
        try:
            inputs = ours._inputs(make, **sizes)
        except (RuntimeError, ValueError, ZeroDivisionError):
            continue
        for kernel in launchers(fresh):
            kernel.known.clear()
        before = sum(len(kernel.known) for kernel in launchers(ours))
        seed = numbers.randrange(1 << 30)
        torch.manual_seed(seed)
        found = call(ours, programs[0], inputs, asked)
        torch.manual_seed(seed)
        expected = call(fresh, programs[1], inputs, asked)
        if found != expected:
            return remembered, f"{sizes}: {found} instead of {expected}"
        after = sum(len(kernel.known) for kernel in launchers(ours))
        remembered += len(found[1]) - (after - before)
    return remembered, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--stage", default="3")
    parser.add_argument("--calls", type=int, default=60)
    options = parser.parse_args()
    asked = mute.install()
    # However little a kernel moves, all of its configurations are timed.
    Autotuner.prune_configs = lambda self, options: self.configs
    # Any of them may win.
    asked.judge = lambda entry: zlib.crc32(repr(entry).encode())
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    failures = files = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for example in sorted((ROOT / "examples").glob("*.py")):
            if options.only not in example.stem:
                continue
            command = [options.binary, "convert", example, "--stage", options.stage, "--standalone", "-o", folder]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failures += 1
                print(f"FAIL {example.stem}: {done.stderr.strip()[:300]}")
                continue
            [path] = Path(folder).glob("*_stage?.py")
            remembered, problem = compare(path, example, options.calls, asked)
            path.unlink()
            files += not problem
            total += remembered
            failures += bool(problem)
            print(f"{'FAIL' if problem else 'ok  '} {example.stem}: {remembered} launches remembered {problem}")
    print(f"launches: {files} right, {failures} wrong; {total} launches remembered")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
