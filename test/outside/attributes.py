# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of modules and calls are alive: whatever a caller changes is followed, or refused by name.

    attributes.py BINARY [--only WORD] [--share K/N] [--stage S] [--seconds T] [--jobs N] [FILE ...]

Of every module of examples/ and test/programs/ (or of the given files) each numeric attribute of each submodule is changed
in the original and in what was emitted, before a call and after one, and each numeric argument of the constructor is given
another value. Of functions each scalar argument gets another value. The results must be those of the original, or the
emitted code must refuse with a ValueError or TypeError that names the attribute. What the original itself refuses is left
out, and so are modules that draw random numbers where they draw.

Changes come in an order that moves with each commit, and what of them a program has not had after T seconds is left out
and counted.

Prints one line a program that is wrong and how many changes were followed, refused and without effect; exits 1 if any is
wrong or fewer than a sixth of those that have an effect were followed (a twentieth of a share, which may meet the programs
whose numbers are sizes).
"""

import argparse
import copy
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import shares

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def changed(value):
    """Another number of the same kind; for floats one near enough to stay valid."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    # Three quarters of an epsilon show nowhere.
    return value * 0.75 if abs(value) > 1e-2 else 0.125


def is_number(value):
    return isinstance(value, (bool, int, float)) and value == value and abs(value) < 1e30


def settings(module):
    """(submodule path, attribute, value) of what a module keeps as numbers."""
    for path, inner in module.named_modules():
        for name, value in vars(inner).items():
            if is_number(value) and not name.startswith("_") and name not in ("training", "call_super_init", "dump_patches"):
                yield path, name, value


def run(runner, program, inputs):
    """The results, or the exception."""
    import torch

    try:
        with torch.no_grad():
            results = runner.call(program, runner.map_tensors(inputs, runner.clone))
            return [torch.as_tensor(x).detach().clone() for x in results if isinstance(x, (torch.Tensor, int, float))]
    except Exception as problem:
        return problem


def same(a, b):
    import torch

    if isinstance(a, Exception) or isinstance(b, Exception) or len(a) != len(b):
        return False
    # What is returned in float32 beside halves is often made of them.
    narrow = any(x.dtype in (torch.float16, torch.bfloat16) for x in a)
    for x, y in zip(a, b):
        if x.shape != y.shape or x.dtype != y.dtype:
            return False
        x, y = x.double(), y.double()
        bound = 2e-2 if narrow else 2e-4
        scale = x.abs()[x.isfinite()].max().item() if x.isfinite().any() else 1.0
        if not torch.allclose(x, y, rtol=bound, atol=bound * max(scale, 1e-6) + 1e-7, equal_nan=True):
            return False
    return True


class Judge:
    def __init__(self, runner, name, seconds):
        self.runner, self.name = runner, name
        self.end = time.monotonic() + seconds
        self.counts = dict.fromkeys(("followed", "refused", "without effect", "wrong", "left out for time"), 0)
        self.problems = []

    def in_time(self, changes):
        """The changes, as long as there is time, from another one with each commit."""
        changes = list(changes)
        start = shares.count_commits() % max(len(changes), 1)
        for place, change in enumerate(changes[start:] + changes[:start]):
            if place and time.monotonic() > self.end:
                self.counts["left out for time"] += len(changes) - place
                return
            yield change

    def compare(self, what, original, emitted, inputs, baseline):
        """Judges one change; `what` is the path whose last part a refusal has to name."""
        expected = run(self.runner, original, inputs)
        if isinstance(expected, Exception):
            return
        if any(not x.double().isfinite().all() for x in expected) and all(x.double().isfinite().all() for x in baseline):
            return
        found = run(self.runner, emitted, inputs)
        verdict = "wrong"
        if same(expected, found):
            verdict = "without effect" if same(expected, baseline) else "followed"
        elif isinstance(found, (ValueError, TypeError)):
            verdict = "refused" if what.rsplit(".")[-1] in str(found) else "wrong"
        self.counts[verdict] += 1
        if verdict == "wrong":
            shown = f"{type(found).__name__}: {found}" if isinstance(found, Exception) else "other results"
            self.problems.append(f"{self.name}: {what}: {shown}"[:300])


def judge_module(judge, source, make_original, make_emitted):
    import torch

    import loading
    import parameters

    init = getattr(source, "get_init_inputs", list)()
    arguments, keywords = ([], init) if isinstance(init, dict) else (list(init), {})

    def pair(change=None):
        own, given = copy.deepcopy(arguments), copy.deepcopy(keywords)
        if change:
            name, value = change
            bound = inspect.signature(make_original.__init__).bind(None, *own, **given)
            bound.arguments[name] = value
            own, given = list(bound.args[1:]), bound.kwargs
        torch.manual_seed(0)
        original, emitted = make_original(*own, **given).eval(), make_emitted(*own, **given).eval()
        # With weights of 1 and biases of 0 the mean of a norm is rounding noise, which tells nothing.
        parameters.randomize(original, lambda: loading.name_inputs(original, source.get_inputs()))
        parameters.load_command_line()._copy_state(original, emitted)
        return original, emitted

    original, emitted = pair()
    inputs = loading.name_inputs(original, source.get_inputs())
    baseline = run(judge.runner, original, inputs)
    if isinstance(baseline, Exception):
        return
    found = run(judge.runner, emitted, inputs)
    if not same(baseline, found):
        judge.counts["wrong"] += 1
        judge.problems.append(f"{judge.name}: without a change: {type(found).__name__}: {found}"[:400])
        return
    for path, name, value in judge.in_time(settings(original)):
        before, after = pair(), pair()
        for model in after:
            run(judge.runner, model, inputs)
        for model in (*before, *after):
            setattr(model.get_submodule(path), name, changed(value))
        where = f"{path}.{name}" if path else name
        for own, mine in (before, after):
            judge.compare(where, own, mine, inputs, baseline)
    try:
        bound = inspect.signature(make_original.__init__).bind(None, *arguments, **keywords)
    except TypeError:
        return
    bound.apply_defaults()
    for name, value in judge.in_time(item for item in bound.arguments.items() if is_number(item[1])):
        try:
            own, mine = pair((name, changed(value)))
        except Exception:
            continue
        # An argument may become an attribute of any name: a refusal of any kind names what it found.
        expected, found = run(judge.runner, own, inputs), run(judge.runner, mine, inputs)
        if isinstance(expected, Exception):
            continue
        verdict = "wrong"
        if same(expected, found):
            verdict = "without effect" if same(expected, baseline) else "followed"
        elif isinstance(found, (ValueError, TypeError)):
            verdict = "refused"
        judge.counts[verdict] += 1
        if verdict == "wrong":
            judge.problems.append(f"{judge.name}: constructor argument {name}: {str(found)[:200]}")


def judge_function(judge, original, emitted, inputs):
    signature = inspect.signature(original)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY) for p in signature.parameters.values()):
        return
    bound = signature.bind(**inputs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    baseline = run(judge.runner, original, inputs)
    if isinstance(baseline, Exception):
        return
    for name, value in judge.in_time(item for item in given.items() if is_number(item[1])):
        judge.compare(name, original, emitted, {**inputs, name: changed(value)}, baseline)


def judge_file(job):
    """Runs in a process of its own: upstream's interpreter must be chosen before triton is imported."""
    import upstream  # noqa: F401  (before triton)

    import torch

    import loading
    import run_interpreter as runner

    emitted_path, original_path, name, seconds = job
    torch.manual_seed(0)
    torch.set_num_threads(1)
    source = loading.load(original_path)
    original, emitted = getattr(source, name), getattr(loading.load(emitted_path), name)
    judge = Judge(runner, Path(original_path).stem, seconds)
    if isinstance(original, type):
        judge_module(judge, source, original, emitted)
    else:
        judge_function(judge, original, emitted, loading.name_inputs(original, source.get_inputs()))
    return judge.counts, judge.problems


def convert(binary, path, folder, stage):
    done = subprocess.run(
        [binary, "convert", path, "--stage", stage, "-o", folder, "--json"], capture_output=True, text=True, cwd=ROOT
    )
    if done.returncode != 0:
        return None
    converted = json.loads(done.stdout)
    return converted["files"][0]["path"], path, converted["program"]


def has_numbers(path):
    """Modules, and functions with scalar arguments."""
    text = Path(path).read_text()
    return "get_inputs" in text and ("nn.Module" in text or "=" in text.split("def get_inputs")[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", default="0/1", help=shares.HELP)
    parser.add_argument("--stage", default="2")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    files = options.files or sorted(map(str, [*(ROOT / "examples").glob("*.py"), *(ROOT / "test/programs").glob("*.py")]))
    files = [path for path in files if options.only in Path(path).stem and has_numbers(path)]
    files = shares.choose(files, options.share)
    import multiprocessing

    totals, refused = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = []
        for path in files:
            job = convert(binary, path, f"{folder}/{Path(path).stem}", options.stage)
            refused += job is None
            if job:
                jobs.append((*job, options.seconds))
        with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=8) as pool:
            for counts, problems in pool.imap_unordered(judge_file, jobs):
                for verdict, count in counts.items():
                    totals[verdict] = totals.get(verdict, 0) + count
                for problem in problems:
                    print(f"WRONG {problem}", flush=True)
    left = totals.pop("left out for time", 0)
    right = sum(count for verdict, count in totals.items() if verdict != "wrong")
    followed, wrong = totals.get("followed", 0), totals.get("wrong", 0)
    print(", ".join(f"{count} {verdict}" for verdict, count in totals.items()))
    print(f"{len(jobs)} programs, {refused} not converted without options; {left} changes left out for time")
    # What refuses every change is no replacement of a module.
    least = 6 if options.share == "0/1" else 20
    if followed * least < right - totals.get("without effect", 0):
        wrong += 1
        print(f"WRONG: of the changes that have an effect fewer than one in {least} is followed")
    print(f"attributes: {right} right, {wrong} wrong")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
