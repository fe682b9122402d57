#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of every program of examples/, at every stage, to cubins with upstream Triton.

    cubin_sweep.py BINARY [--arch 80 --arch 90 ...] [--only WORD] [--jobs N]

Runs compile_cubin.py, in which a warning is an error, with the Python that runs this file; PYTHONPATH chooses another
Triton. Prints one line a failure and the counts; exits 1 on a failure.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def convert(binary, example, folder):
    """The files of every stage as (stage, path, name), or what went wrong."""
    command = [binary, "convert", example, "--stage", "all", "-o", folder, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        return [], done.stderr.strip()[:400]
    report = json.loads(done.stdout)
    return [(file["stage"], file["path"], report["program"]) for file in report["files"]], ""


def compile_file(job):
    """How many kernels and configurations were compiled, and what went wrong."""
    example, _, path, name, arch = job
    command = [sys.executable, HERE / "compile_cubin.py", path, name, "--original", example, "--arch", str(arch)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    lines = done.stdout.strip().splitlines()
    bad = [line for line in lines if not line.endswith(" bytes")] or [done.stderr.strip()[-400:]]
    return len(lines), bad[0][:400] if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--arch", action="append", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    jobs, cubins, failures = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for example in sorted((ROOT / "examples").glob("*.py")):
            if options.only not in example.stem:
                continue
            # Two programs may export the same name.
            files, problem = convert(options.binary, example, f"{folder}/{example.stem}")
            if problem:
                failures += 1
                print(f"FAIL {example.stem}: {problem}", flush=True)
            jobs += [(example, *file, arch) for file in files for arch in options.arch or [90]]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for job, (count, problem) in zip(jobs, pool.map(compile_file, jobs)):
                cubins += count
                if problem:
                    failures += 1
                    print(f"FAIL {job[0].stem} stage {job[1]} sm_{job[4]}: {problem}", flush=True)
    print(f"cubins: {cubins} right, {failures} wrong; kernels and configurations of {len(jobs)} files and targets")
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
