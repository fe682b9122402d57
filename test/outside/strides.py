# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strides of results: as PyTorch's for dense inputs of any permutation, at every stage.

    strides.py BINARY

Converts each program of strided_programs.py, runs the emitted file under upstream Triton's interpreter and compares
values and strides with PyTorch's. Exits 1 on a difference.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from parallel import judge_all

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "strided_programs.py"

CASES = {
    "add_transposed": (
        "x=f32[M,N],y=f32[N,M]",
        ["x=f32[7,65],y=f32[65,7]", "x=f32[7,65]@(1,7),y=f32[65,7]"],
    ),
    "scaled_transposed": ("x=f32[M,N]", ["x=f32[7,65]", "x=f32[7,65]@(1,7)"]),
    "result_transposed": (
        "x=f32[B,M,N]",
        ["x=f32[2,7,33]", "x=f32[2,7,33]@(231,1,7)"],
    ),
    "transposed_copy": ("x=f32[B,M,N]", ["x=f32[2,7,33]"]),
    "bias_of_channels": (
        "x=f32[B,C,H,W],b=f32[C]",
        ["x=f32[2,3,5,7],b=f32[3]", "x=f32[2,3,5,7]@(105,1,21,3),b=f32[3]"],
    ),
    "softmax_and_more": ("x=f32[M,N]", ["x=f32[7,65]", "x=f32[7,65]@(1,7)"]),
    "sliced": ("x=f32[M,N]", ["x=f32[7,65]", "x=f32[7,65]@(1,7)"]),
    "permuted_product": (
        "x=f32[A,B,C],y=f32[C,A,B]",
        ["x=f32[2,3,5],y=f32[5,2,3]", "x=f32[2,3,5]@(1,10,2),y=f32[5,2,3]"],
    ),
    "flipped": ("x=f32[M,N]", ["x=f32[7,65]", "x=f32[7,65]@(1,7)"]),
    "rolled_steps": (
        "u=f32[M,N],v=f32[M,N]",
        ["u=f32[7,65],v=f32[7,65]", "u=f32[7,65]@(1,7),v=f32[7,65]", "u=f32[7,65]@(1,7),v=f32[7,65]@(1,7)"],
    ),
    "second_decides": (
        "row=f32[N],x=f32[M,N]",
        ["row=f32[65],x=f32[7,65]", "row=f32[65],x=f32[7,65]@(1,7)"],
    ),
}


def judge(job):
    """Runs in a process of the pool: upstream's interpreter must be chosen before triton is imported."""
    import run_interpreter

    failures, lines = run_interpreter.run(job)
    return "; ".join(lines) if failures else ""


def main(binary):
    jobs = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (spec, runs) in CASES.items():
            subprocess.run(
                [binary, "convert", f"{PROGRAMS}:{name}", "--inputs", spec]
                + ["--stage", "all", "-o", folder, "--json"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            cases = [option for run in runs for option in ("--case", run)]
            for stage in 1, 2, 3:
                emitted = f"{folder}/{name}_stage{stage}.py"
                job = [emitted, str(PROGRAMS), name, "--strides", *cases]
                jobs.append((name, stage, job))
        failures = judge_all(jobs, judge, os.cpu_count())
    print(f"strides: {len(jobs) - failures} right, {failures} wrong; files of {len(CASES)} programs")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
