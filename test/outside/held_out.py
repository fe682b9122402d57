# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program of bench/held_out, or of another folder, at every stage, forward and with gradients, at small sizes.

    held_out.py BINARY [--folder bench/survey] [--share K/N] [--only WORD] [--stage 1|2|3|all] [--jobs N]

Converts each file as it is timed, or for the small constructor that it names, and runs what was emitted under upstream
Triton's interpreter, on the inputs of `get_inputs()` with small numbers in place of its sizes: results and gradients, and
results where no gradient is wanted, with random parameters and statistics, modules in both modes. The reference is the
program in float64, allowed is four times PyTorch's own error or two units in the last place. Prints one line a failure;
exits 1 on one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import shares
from parallel import judge_all

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

from timed_programs import Marks, Program, read_source  # noqa: E402


def convert(binary, path, way, stage, folder):
    """What is wrong with the conversion, and the files by stage."""
    marks = Marks(path)
    command = [binary, "convert", f"{path.relative_to(ROOT)}:{marks.name}", "--stage", stage, "--json", "-o", folder]
    arguments, small = (read_source(path, is_small).get("get_init_inputs", list)() for is_small in (False, True))
    if small != arguments:
        command += ["--init", ", ".join(map(repr, small))]
    done = subprocess.run(command + ["--backward"] * (way == "backward"), capture_output=True, text=True, cwd=ROOT)
    if marks.refused:
        is_right = done.returncode == 2 and marks.refused in done.stderr
        return ([] if is_right else ["it is not refused as it says"]), []
    if done.returncode:
        return [done.stderr.strip()[:400]], []
    files = json.loads(done.stdout)["files"]
    kernels = [kernel for file in files for kernel in file["kernels"]]
    found = {k["name"] for k in kernels if k["proved"] != k["accesses"]}
    known = marks.open if way == "backward" and stage in ("3", "all") else set()
    problems = [f"{name}: open" for name in sorted(found - known)]
    return problems + [f"{name}: proved, and said to be open" for name in sorted(known - found)], files


def judge(job):
    """Runs in a process of its own: upstream's interpreter must be chosen before triton is imported."""
    import upstream  # noqa: F401  (before triton)

    import torch

    path, way, file = job
    torch.set_num_threads(1)
    program = Program(Path(path), way, "cpu", is_small=True)
    errors = program.find_errors(program.load_emitted(ROOT / file))
    wrong = [
        f"{name}: {error:.2f} times what is allowed, of {share:.2%} of the elements beyond it"
        for name, (error, share) in errors.items()
        if not error <= 1
    ]
    return "; ".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--folder", type=Path, default=ROOT / "bench/held_out")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--only", default="")
    parser.add_argument("--stage", default="all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    failures, jobs = 0, []
    paths = [path for path in sorted(options.folder.resolve().glob("*.py")) if options.only in path.stem]
    paths = shares.choose(paths, options.share)
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for way in ["forward"] if Marks(path).is_forward else ["forward", "backward"]:
                problems, files = convert(binary, path, way, options.stage, f"{folder}/{path.stem}_{way}")
                failures += len(problems)
                for problem in problems:
                    print(f"FAIL {path.stem} {way}: {problem}", flush=True)
                jobs += [(f"{path.stem} {way}", file["stage"], (str(path), way, file["path"])) for file in files]
        wrong = judge_all(jobs, judge, options.jobs)
    failures += wrong
    print(f"{options.folder.name}: {len(paths)} programs, {len(jobs) - wrong} right, {failures} wrong")
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
