# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model of examples/models at every stage, forward and with gradients, at reduced widths.

    models.py BINARY [--only WORD] [--share K/N] [--forward] [--stage 1|2|3|all] [--jobs N]

A model's file has get_inputs() and get_init_inputs() as published, and get_small_inputs() and get_small_init_inputs() for
judges without a GPU. Copies of the files in which these stand for those are converted and judged as programs.py does it.
Prints one line a failure; exits 1 on one.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import programs
import shares
from parallel import judge_all

ROOT = Path(__file__).resolve().parent.parent.parent
SMALL = "\n\nget_inputs, get_init_inputs = get_small_inputs, get_small_init_inputs\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--forward", action="store_true", help="without gradients")
    parser.add_argument("--stage", default="all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    paths = [path for path in sorted((ROOT / "examples/models").glob("*.py")) if options.only in path.stem]
    tasks = [(path, "forward") for path in paths]
    if not options.forward:
        # A share has the gradients of other models than it has results of: the large ones stand together.
        half = len(paths) // 2
        tasks += [(path, "backward") for path in paths[half:] + paths[:half]]
    tasks = shares.choose(tasks, options.share)
    failures, jobs = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for path, way in tasks:
            small = Path(folder) / path.name
            small.write_text(path.read_text() + SMALL)
            out, expected = f"{folder}/{path.stem}_{way}", programs.Expected(path)
            problems, report = programs.convert(binary, small, expected, out, way == "backward", options.stage)
            failures += len(problems)
            for problem in problems:
                print(f"FAIL {path.stem} {way}: {problem}", flush=True)
            for file in report["files"] if report else ():
                job = (way, (file["path"], str(small), report["program"]))
                jobs.append((f"{path.stem} {way}", file["stage"], job))
        wrong = judge_all(jobs, programs.judge, options.jobs)
    failures += wrong
    print(f"models: {len(jobs) - wrong} right, {failures} wrong; files of {len(tasks)} conversions")
    return 1 if failures or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
