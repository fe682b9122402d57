#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two builds emit the same files, byte by byte.

    scripts/compare_emitted.py OLD NEW [--only WORD] [--every N] [--kernels] [--lines N] [--jobs N]

Converts examples, examples/models, test/programs and bench/held_out with both binaries, at every stage, forward and with
gradients where the program has some, and compares what is written and what is said. Prints the first lines of each
difference; exits 1 on one. A rewrite of the scheduler that is to change nothing is judged by it. --kernels compares the
kernels alone, where the text around them changed.
"""

import argparse
import concurrent.futures
import difflib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("examples", "examples/models", "test/programs", "bench/held_out")
LIMIT = 600  # seconds of one conversion


def convert(binary, path, gradients, folder):
    """Exit status, what was said, and the files by name."""
    command = [binary, "convert", str(path.relative_to(ROOT)), "-o", folder, *(["--backward"] if gradients else [])]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"status": "too slow"}
    said = (done.stdout + done.stderr).replace(folder, "out")
    files = {file.name: file.read_text() for file in Path(folder).glob("*.py")}
    return {"status": str(done.returncode), "output": said} | files


def kernels_of(text):
    """The definitions of a file that launches name."""
    return "\n\n\n".join(part for part in text.split("\n\n\n") if "@triton.jit" in part)


def compare(task):
    old, new, path, gradients, only_kernels = task
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        before, after = convert(old, path, gradients, first), convert(new, path, gradients, second)
    if only_kernels:
        for part in (before, after):
            part.update({name: kernels_of(text) for name, text in part.items() if name.endswith(".py")})
    differences = []
    for name in sorted(before.keys() | after.keys()):
        texts = [part.get(name, "").splitlines() for part in (before, after)]
        if texts[0] != texts[1]:
            differences += difflib.unified_diff(*texts, f"old {name}", f"new {name}", lineterm="", n=1)
    return path, gradients, len(before) - 2, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, help="each Nth program alone")
    parser.add_argument("--kernels", action="store_true", help="not what is around them")
    parser.add_argument("--lines", type=int, default=20, help="of each difference (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    old, new = (str(Path(binary).resolve()) for binary in (options.old, options.new))
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py")) if options.only in path.stem]
    paths = paths[:: options.every]
    tasks = [(old, new, path, gradients, options.kernels) for path in paths for gradients in (False, True)]
    same = different = files = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, gradients, count, lines in pool.map(compare, tasks):
            files += count
            same += not lines
            different += bool(lines)
            if lines:
                print(f"{path.relative_to(ROOT)}{' --backward' * gradients}: {len(lines)} lines of difference")
                print("\n".join(f"    {line}" for line in lines[: options.lines]), flush=True)
    print(f"conversions: {same} same, {different} different; {files} files")
    return 1 if different or not same else 0


if __name__ == "__main__":
    sys.exit(main())
