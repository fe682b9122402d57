# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for the operators of PyTorch's own test suite, run under upstream's interpreter, against PyTorch.

    operator_samples.py BINARY [--dtype f32] [--stages 3] [--most N] [--only WORD] [--share K/N] [--jobs N]

Takes up to N samples of each operator of torch.testing's database (test/torch/opinfo.py writes them as programs),
converts each with its gradient where PyTorch has one, and compares results and gradients with PyTorch's by the bound of
docs/validation.md. Prints one line a failure and the counts; exits 1 on a failure.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import random_judge  # before triton
import torch

import loading
import shares
from limits import limited

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "torch"))

import compare
import opinfo
import refusals

#: What a conversion with --backward says where there is no gradient to compute.
UNGRADED = ("no result has a gradient", "no argument needs a gradient")
#: The longest that a conversion may take.
SECONDS = 20
#: Of the samples, at most so many may take longer than a minute under the interpreter.
LATE = 0.01


def convert(binary, path, spec, stages, folder):
    """The emitted files by stage, or what is wrong, and whether it is a refusal; without a gradient where nothing has one."""
    command = [binary, "convert", path, "--inputs", spec, "--json", "--stage", stages, "-o", folder]
    try:
        done = subprocess.run([*command, "--backward"], capture_output=True, text=True, timeout=SECONDS)
        if any(text in done.stderr for text in UNGRADED):
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {}, f"converting takes longer than {SECONDS} s", False
    if done.returncode:
        is_refusal = done.returncode == 2 and not re.search(r"'(func|host|tile)\.\w+' op ", done.stderr)
        return {}, " ".join(done.stderr.split())[-400:], is_refusal
    files = json.loads(done.stdout)["files"]
    for file in files:
        for kernel in file["kernels"]:
            if kernel["proved"] != kernel["accesses"]:
                return (
                    {},
                    f"stage {file['stage']}: {kernel['name']}: {kernel['proved']} of {kernel['accesses']} proved",
                    False,
                )
    return {file["stage"]: file["path"] for file in files}, "", False


def flat(program):
    """The program, with all of its results in one tuple."""
    return lambda *inputs: tuple(compare.flatten(program(*inputs)))


def compare_all(op, found, names, own, exact, errors):
    """The first result or gradient of these names that is wrong."""
    for name in names:
        if name == ("result 0" if op == "argsort" else "result 1") and op.split(".")[0] in opinfo.UNORDERED:
            continue
        problem = random_judge.differs(found.get(name), exact[name], own[name], errors.get(name, 0.0))
        if problem:
            return f"{name}: {problem}"
    return ""


def judge(job):
    """(operator, program, kind, detail).

    The kind is right, crash, raises, wrong, refused, late (the interpreter takes too long) or skipped (PyTorch raises).
    """
    binary, stages, op, text, tensors = job
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    names = [f"x{place}" for place in range(len(tensors))]
    spec = ",".join(f"{n}={compare.NAMES[t.dtype]}[{','.join(map(str, t.shape))}]" for n, t in zip(names, tensors))
    program = f"{text} ({spec})"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "source.py")
        path.write_text(f"{opinfo.HEADER}def program({', '.join(names)}):\n    return {text}\n")
        original = loading.load(path).program
        torch.manual_seed(0)
        cotangents = []
        try:
            own = random_judge.run(flat(original), tensors, cotangents)
            exact = random_judge.run(flat(original), tensors, cotangents, wide=True)
        except Exception as error:
            return op, program, "skipped", str(error)[:200]
        files, problem, is_refusal = convert(binary, path, spec, stages, folder)
        if problem:
            return op, program, "refused" if is_refusal else "crash", problem
        errors = {}
        random_judge.note_errors(errors, own, exact)
        for stage, file in files.items():
            try:
                emitted = loading.load(file).program
                # PyTorch has no gradient of some operators that have one here.
                graded = any(c is not None for c in cotangents)
                graded = graded and "@_once_differentiable" in Path(file).read_text()
                found = []
                with limited(60):
                    # Without gradients other kernels run.
                    for is_graded in (True, False) if graded else (False,):
                        with torch.set_grad_enabled(is_graded):
                            found.append(random_judge.run(flat(emitted), tensors, list(cotangents)))
            except Exception as error:
                if "Late(" in repr(error):  # large samples take minutes under the interpreter
                    return op, program, "late", str(error)[:200]
                return op, program, "raises", f"stage {stage}: {type(error).__name__}: {str(error)[:300]}"
            for place, each in enumerate(found):
                names = [name for name in own if not place or name.startswith("result")]
                problem = compare_all(op, each, names, own, exact, errors)
                if problem:
                    random_judge.note_rounding(errors, flat(original), tensors, cotangents, exact)
                    problem = compare_all(op, each, names, own, exact, errors)
                if problem:
                    where = "under no_grad: " if place else ""
                    return op, program, "wrong", f"stage {stage}: {where}{problem}"
    return op, program, "right", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--dtype", default="f32")
    parser.add_argument("--stages", default="3")
    parser.add_argument("--most", type=int, default=3, help="samples of each operator, spread over all")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--refused", action="store_true", help="print what is not judged, where that is expected too")
    parser.add_argument("--table", action="store_true", help="print the lines of refusals.txt for what is refused")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary, start = str(Path(options.binary).resolve()), time.time()
    by_op = collections.defaultdict(list)
    settings = argparse.Namespace(only=options.only, backward=False, reference=False, most=1000)
    for op, text, tensors in opinfo.samples(settings, compare.DTYPES[options.dtype]):
        by_op[op].append((op, text, tensors))
    jobs = []
    for samples in shares.choose(by_op.values(), options.share):
        step = max(1, len(samples) // options.most)
        jobs += [(binary, options.stages, *sample) for sample in samples[::step][: options.most]]
    kinds, refused = collections.Counter(), collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for op, program, kind, detail in pool.map(judge, jobs):
            kinds[kind] += 1
            refused[op] += kind == "refused"
            if kind not in ("right", "skipped", "late", "refused") or (options.refused and kind != "right"):
                print(f"{op}: {program}: {kind}: {detail}", flush=True)
    problems = refusals.judge(+refused, "kernels", options.dtype, options.most)
    if kinds["late"] > LATE * len(jobs):
        problems.append(f"more than {LATE:.0%} of the samples take too long")
    if options.table:
        print("\n".join(refusals.lines(+refused, "kernels", options.dtype, options.most)))
    for problem in problems:
        print("FAIL", problem)
    wrong = sum(kinds[kind] for kind in ("crash", "raises", "wrong")) + len(problems)
    rest = ", ".join(f"{kinds[kind]} {kind}" for kind in ("refused", "skipped", "late"))
    print(f"operator samples: {kinds['right']} right, {wrong} wrong, {rest}; {time.time() - start:.0f} s")
    return 1 if wrong or not kinds["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
