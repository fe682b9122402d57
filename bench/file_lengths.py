#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long emitted files with gradients are: lines, kernels, and the programs whose forward stands once.

    bench/file_lengths.py BINARY PROGRAM.py...

Converts each program at stage 3 with --backward; those that cannot are counted. Lines are all lines, comments and helpers
included; a kernel is a function that a launch names. Prints the medians, what is longest, and how many files have one
forward (docs/decisions/0019-one-forward.md); then the files whose forward stands twice.
"""

import argparse
import concurrent.futures
import re
import subprocess
import tempfile
from pathlib import Path
from statistics import median


def measure(binary, program):
    """(lines, kernels, longest kernel, whether what saves has kernels of its own); None where it does not convert."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "convert", program, "--stage", "3", "--backward", "-o", folder]
        subprocess.run(command, capture_output=True)
        files = [*Path(folder).glob("*_stage3.py")]
        if not files:
            return None
        text = files[0].read_text()
    kernels = {}
    for part in text.split("\n\n\n"):
        if match := re.search(r"@triton\.jit[^\n]*\ndef (\w+_kernel\d*)\(", part):
            kernels[match[1]] = part.count("\n") + 1
    return text.count("\n"), len(kernels), max(kernels.values(), default=0), any("_saving_" in name for name in kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [*pool.map(lambda program: measure(options.binary, program), options.programs)]
    files = {name: one for name, one in zip(options.programs, found, strict=True) if one}
    lines, kernels, longest, twice = zip(*files.values(), strict=True)
    print(f"{len(files)} files, {len(found) - len(files)} programs not converted")
    print(
        f"lines: median {median(lines):.0f}, most {max(lines)}; kernels: median {median(kernels):.0f}, most {max(kernels)}"
    )
    print(f"longest kernel: median {median(longest):.0f}, most {max(longest)}")
    print(f"one forward: {len(files) - sum(twice)} of {len(files)}")
    for name in (name for name, one in files.items() if one[3]):
        print(f"  two: {name}")


if __name__ == "__main__":
    main()
