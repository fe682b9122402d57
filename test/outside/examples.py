# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every program of examples/ at every stage, judged outside of nereid.

    examples.py BINARY [--only WORD] [--share K/N] [--lowered] [--jobs N]

Converts each file, demands that every access is proved, and runs the emitted files under upstream Triton's interpreter
against the program itself, with the inputs of its get_inputs(): the reference is the program in float64, allowed is four
times PyTorch's own error or two units in the last place. What takes halves is judged with inputs in float32 too.
With --lowered wrappers choose kernels for long rows at short ones, in small blocks: only files of stage 3 that have such
kernels. Prints one line a program; exits 1 on a failure.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import halves
import lowering
import shares
from parallel import judge_all
from proofs import find_open

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def check(binary, example, folder, stages="all"):
    """The problems of one program; empty when there are none."""
    done = subprocess.run(
        [binary, "convert", example, "--stage", stages, "-o", folder, "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if done.returncode != 0:
        return [f"convert: exit {done.returncode}: {done.stderr.strip()[:400]}"]
    converted = json.loads(done.stdout)
    return find_open(Path(example).stem, converted["files"]), converted


def judge(job):
    """Runs in a process of its own: upstream's interpreter must be chosen before triton is imported."""
    import upstream  # noqa: F401  (before triton)

    import torch

    import loading
    import run_interpreter as runner

    emitted_path, original_path, name = job
    torch.manual_seed(0)
    torch.set_num_threads(1)
    source, original, emitted = loading.load_pair(original_path, emitted_path, name)

    def arguments():
        return loading.name_inputs(original, source.get_inputs())

    given = arguments()
    modes = runner.get_modes(original, lambda program: runner.call(program, runner.map_tensors(given, runner.clone)))
    for training in modes:
        runner.set_mode(training, original, emitted)
        problem = judge_mode(runner, original, emitted, arguments)
        if problem:
            return "in training, " * training + problem
    return ""


def judge_mode(runner, original, emitted, arguments):
    """What is wrong as both are set."""
    inputs = arguments()
    expected, reference = runner.run_original(original, inputs)
    found = runner.call(emitted, runner.map_tensors(inputs, runner.clone))
    if len(found) != len(expected):
        return f"found {len(found)} outputs, expected {len(expected)}"
    # PyTorch's own error is taken over several inputs: a few elements may be right by luck.
    errors = [runner.get_error(own, exact) for own, exact in zip(expected, reference)]
    for _ in range(7):
        again = runner.run_original(original, arguments())
        errors = [max(error, runner.get_error(own, exact)) for error, own, exact in zip(errors, *again)]
    for place, (mine, exact, own, error) in enumerate(zip(found, reference, expected, errors)):
        problem = runner.compare(mine, exact, own, error)
        if problem:
            return f"output {place}: {problem}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--lowered", action="store_true", help="take the ways of long rows at short ones")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    failures = total = 0
    stages = "3" if options.lowered else "all"
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        examples = [path for path in sorted((ROOT / "examples").glob("*.py")) if options.only in path.stem]
        for example in halves.add_wide(shares.choose(examples, options.share), folder):
            total += 1
            # Two programs may export the same name.
            result = check(binary, str(example), f"{folder}/{example.stem}", stages)
            if isinstance(result, list):
                failures += 1
                print(f"FAIL {example.stem}: {result[0]}", flush=True)
                continue
            problems, converted = result
            for file in converted["files"]:
                if options.lowered and not lowering.lower_file(file):
                    continue
                jobs.append(
                    (
                        example.stem,
                        file["stage"],
                        (file["path"], str(example), converted["program"]),
                    )
                )
            for problem in problems:
                failures += 1
                print(f"FAIL {example.stem}: {problem}", flush=True)
        wrong = judge_all(jobs, judge, options.jobs)
    failures += wrong
    print(f"examples: {len(jobs) - wrong} right, {failures} wrong; files of {total} programs")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
