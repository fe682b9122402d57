# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges one random program: what nereid makes of it, run under upstream's interpreter, against PyTorch in float64."""

import contextlib
import dataclasses
import json
import re
import subprocess
import traceback
import warnings
from pathlib import Path

import run_interpreter as runner  # before triton
import torch
from torch._subclasses import fake_tensor

import bound
import loading
import lowering
import random_rounding
import random_text
from limits import limited

#: How often PyTorch's own error is looked at: where terms cancel it may be 0 by luck.
SAMPLES, MORE_SAMPLES = 3, 16
#: The longest that a conversion may take, and a run under the interpreter, of the processor's time: it is given up then.
SECONDS = 120
RUN_SECONDS = 15


@dataclasses.dataclass
class Way:
    """How a program is converted, and how what was emitted is changed before it runs."""

    stages: str
    hints: dict = dataclasses.field(default_factory=dict)
    #: Bounds at which wrappers choose kernels and sizes of blocks are lowered, so that small sizes take long ways.
    is_lowered: bool = False
    #: Indices are asserted to lie within their axes.
    checks_indices: bool = False

    def name(self, stage):
        hints = "".join(f" {name}={size}" for name, size in self.hints.items())
        return f"stage {stage}{hints}{' lowered' * self.is_lowered}"


@dataclasses.dataclass
class Verdict:
    #: refused, crash, unproved, raises, wrong, or narrow: right, but for sizes that PyTorch takes, that the file refuses and
    #: that its conversion does not name; empty where all is right.
    kind: str = ""
    detail: str = ""
    #: How many runs there were, and how many of them took too long and were given up.
    runs: int = 0
    late: int = 0

    def is_failure(self):
        return self.kind not in ("", "refused")


@dataclasses.dataclass
class File:
    """An emitted file, and what its conversion says of the sizes that it is for."""

    name: str
    path: Path
    report: dict

    def is_named(self, sizes):
        """Whether the conversion says that calls at these sizes are refused: others are fixed, or names are made one."""
        fixed = re.findall(r"\b(\w+)=(\d+) \(", self.report.get("fixed", ""))
        merged = re.findall(r"\b(\w+)=(\w+) \(", self.report.get("merged", ""))
        pairs = [(name, int(size)) for name, size in fixed] + merged
        return any(sizes.get(a, a) != sizes.get(b, b) for a, b in pairs)


def convert(binary, path, program, way, folder):
    """The emitted files, and what is wrong."""
    command = [binary, "convert", path, "--inputs", program.spec(), "--backward", "--json", "--stage", way.stages]
    command += ["--debug"] * way.checks_indices
    for name, size in way.hints.items():
        command += ["--size", f"{name}={size}"]
    try:
        done = subprocess.run([*command, "-o", folder], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return [], Verdict("crash", f"converting takes longer than {SECONDS} s")
    # What is wrong with our own operators is no refusal.
    if done.returncode == 2 and not re.search(r"'(func|graph|host|tile)\.\w+' op ", done.stderr):
        return [], Verdict("refused", done.stderr.strip())
    if done.returncode != 0:
        return [], Verdict("crash", f"{way.name(way.stages)}: exit {done.returncode}: {done.stderr.strip()[-600:]}")
    report, verdict = json.loads(done.stdout), Verdict()
    for file in report["files"]:
        for kernel in file["kernels"]:
            if kernel["proved"] != kernel["accesses"]:
                found = f"{kernel['name']}: {kernel['proved']} of {kernel['accesses']} accesses proved"
                verdict = Verdict("unproved", f"{way.name(file['stage'])}: {found}")
    return [File(way.name(file["stage"]), Path(file["path"]), report) for file in report["files"]], verdict


class InOrder(torch.overrides.TorchFunctionMode):
    """Sorts keep equal elements in order, as what is emitted does, and PyTorch does not promise."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if getattr(function, "__name__", "") in ("sort", "argsort"):
            names = ("dim", "descending")
            kwargs |= dict(zip(names, args[1:], strict=False)) | {"stable": True}
            args = args[:1]
        return function(*args, **kwargs)


def run(program, inputs, cotangents, wide=False, asked=None):
    """Results and gradients by name, no gradients under no_grad; draws those of the results where there are none yet.

    Only the input at the place `asked` requires a gradient, where it is given.
    """
    leaves = [runner.to_float64(x) if wide else runner.clone(x) for x in inputs]
    leaves = [x.requires_grad_(x.is_floating_point() and asked in (None, i)) for i, x in enumerate(leaves)]
    with InOrder(), runner.StayWide() if wide else contextlib.nullcontext():
        results = program(*leaves)
        results = list(results) if isinstance(results, tuple) else [results]
        if not cotangents:
            cotangents.extend(torch.randn(x.shape).to(x.dtype) if x.requires_grad else None for x in results)
        # What PyTorch wrote over whole still requires a gradient; it adds nothing to those that are compared.
        given = [(x, c) for x, c in zip(results, cotangents, strict=True) if x.requires_grad]
        if any(c is None for _, c in given):
            raise ValueError("a result requires a gradient that requires none in PyTorch")
        if given:
            torch.autograd.backward([x for x, _ in given], [c.to(x.dtype) for x, c in given])
    found = {f"result {place}": x.detach() for place, x in enumerate(results)}
    if not torch.is_grad_enabled():
        return found
    return found | {f"gradient {place}": x.grad for place, x in enumerate(leaves) if x.requires_grad}


def differs(found, exact, own, error):
    """What is wrong with a result or gradient; `error` is PyTorch's own, over some samples."""
    if found is None or own is None:
        present = own if found is None else found
        harmless = present is None or not bool(present.any())
        return "" if harmless else f"found {found}, expected {own}"
    if own.dtype == torch.float64 and own.numel():
        # PyTorch is its own reference there, whose error is not known: 0 may be what is left of terms that cancel.
        most = own[own.isfinite()].abs().max() if bool(own.isfinite().any()) else 0.0
        error = max(error, 1024 * torch.finfo(own.dtype).eps * max(float(most), 1.0))
    return bound.compare(found, exact, own, error)


def takes(original, program, sizes):
    """Whether PyTorch takes these sizes; nothing is computed."""
    with fake_tensor.FakeTensorMode():
        inputs = [
            torch.empty([sizes.get(size, size) for size in p.sizes], dtype=random_text.DTYPES[p.dtype])
            for p in program.parameters
        ]
        try:
            original(*inputs)
        except (RuntimeError, IndexError, ValueError):
            return False
    return True


def is_refusal(error, file):
    """Whether a wrapper itself refuses these sizes."""
    if not isinstance(error, ValueError) or not error.__traceback__:
        return False
    *_, (innermost, _) = traceback.walk_tb(error.__traceback__)
    return innermost.f_code.co_filename == str(file)


def note_errors(errors, own, exact):
    """Raises the greatest errors by name to those of `own`."""
    for name, value in own.items():
        if value is not None and exact[name] is not None and value.shape == exact[name].shape:
            errors[name] = max(errors.get(name, 0.0), bound.get_error(value, exact[name]))


def note_rounding(errors, program, inputs, cotangents, exact):
    """What a unit in the last place of any operator's result makes of the program's: terms may cancel always."""
    for _ in range(SAMPLES):
        with random_rounding.RandomRounding():
            note_errors(errors, run(program, inputs, cotangents), exact)


class Reference:
    """PyTorch's results and gradients at some sizes, and its own errors."""

    def __init__(self, original, program, sizes, spread, seed):
        def draw(sample):
            generator = torch.Generator().manual_seed(seed * (SAMPLES + MORE_SAMPLES) + sample)
            torch.manual_seed(sample)
            inputs = [p.make(sizes, generator, p.name in spread) for p in program.parameters]
            cotangents = []
            return inputs, cotangents, run(original, inputs, cotangents), run(original, inputs, cotangents, wide=True)

        self.errors, self.draw, self.samples, self.original = {}, draw, 1, original
        self.inputs, self.cotangents, self.own, self.exact = draw(0)
        note_errors(self.errors, self.own, self.exact)
        self.look_until(SAMPLES)

    def look_until(self, samples):
        for sample in range(self.samples, samples):
            note_errors(self.errors, *self.draw(sample)[2:])
        self.samples = max(self.samples, samples)

    def compare(self, found, names):
        for name in names:
            problem = differs(found.get(name), self.exact[name], self.own[name], self.errors.get(name, 0.0))
            if problem:
                return f"{name}: {problem}"
        return ""

    def judge(self, emitted, turn):
        """What is wrong with results and gradients, with one gradient where no other is wanted, and with results where
        none is: other kernels run. Which gradient is alone changes with `turn`: of twenty, all would take too long."""
        problem = self.judge_results(run(emitted, self.inputs, list(self.cotangents)))
        if problem:
            return problem
        gradients = [name for name in self.own if name.startswith("gradient")]
        if len(gradients) > 1:
            name = gradients[turn % len(gradients)]
            found = run(emitted, self.inputs, list(self.cotangents), asked=int(name.split()[1]))
            problem = self.judge_results(found, [name])
            if problem:
                return f"alone, {problem}"
        with torch.no_grad():
            found = run(emitted, self.inputs, list(self.cotangents))
        problem = self.judge_results(found, [name for name in self.own if name.startswith("result")])
        return f"under no_grad: {problem}" if problem else ""

    def judge_results(self, found, names=None):
        """What is wrong with those of these names, or with all."""
        names = list(self.own) if names is None else names
        if not self.compare(found, names):
            return ""
        self.look_until(SAMPLES + MORE_SAMPLES)
        if self.compare(found, names):
            note_rounding(self.errors, self.original, self.inputs, self.cotangents, self.exact)
        return self.compare(found, names)


def in_float32(program):
    """The program for arguments of float32, which show more; None where it has no halves, or PyTorch refuses it."""
    if not any(p.dtype in ("bf16", "f16") for p in program.parameters):
        return None
    floats = [p if p.dtype in ("i64", "bool") else dataclasses.replace(p, dtype="f32") for p in program.parameters]
    wide = dataclasses.replace(program, parameters=floats)
    return wide if random_text.has_gradients(wide) else None


def judge(binary, program, ways, runs, folder):
    """The first thing that is wrong. `runs` are sizes, and the names of arguments that are not contiguous."""
    verdict = judge_as_written(binary, program, ways, runs, folder)
    wide = None if verdict.kind not in ("", "narrow") else in_float32(program)
    if wide is None:
        return verdict
    Path(folder, "float32").mkdir()
    before, verdict = verdict, judge_as_written(binary, wide, [Way("3")], runs[:1], f"{folder}/float32")
    kind, detail = verdict.kind, f"in float32: {verdict.detail}" if verdict.kind else ""
    if not kind:
        kind, detail = before.kind, before.detail
    return Verdict(kind, detail, verdict.runs + before.runs, verdict.late + before.late)


def judge_as_written(binary, program, ways, runs, folder):
    warnings.simplefilter("ignore")
    path = Path(folder) / "program.py"
    path.write_text(program.text())
    original = loading.load(path).f
    files, unproved = [], None
    for number, way in enumerate(ways):
        if number and not takes(original, program, way.hints):
            continue
        found, verdict = convert(binary, path, program, way, f"{folder}/{number}")
        if not found:
            return verdict
        unproved = verdict if verdict.kind else unproved
        for file in found if way.is_lowered else ():
            file.path.write_text(lowering.lower(file.path.read_text()))
        files += found
    judged, late, refusal, narrow = 0, 0, "", ""
    # Each file runs at the usual sizes, and at one of the others.
    for number, (sizes, spread) in enumerate(runs):
        try:
            reference = Reference(original, program, sizes, spread, number)
        except Exception:
            continue  # PyTorch refuses these sizes
        for place, file in enumerate(files):
            if number and (number + place) % (len(runs) - 1):
                continue
            where = f"{file.name}, {sizes}, spread {sorted(spread)}"
            try:
                with limited(RUN_SECONDS):
                    problem = reference.judge(loading.load(file.path).f, number + place)
            except Exception as error:
                if "Late(" in repr(error):
                    late += 1
                    continue
                if is_refusal(error, file.path):
                    refusal = f"{where}: {error}"
                    if not narrow and not file.is_named(sizes):
                        narrow = f"{where}: refused, which PyTorch takes: {error}"
                    continue
                detail = f"{where}: {type(error).__name__}: {str(error)[-400:]}"
                return Verdict("raises", detail, judged + late, late)
            judged += 1
            if problem:
                return Verdict("wrong", f"{where}: {problem}", judged + late, late)
    if unproved:
        return dataclasses.replace(unproved, runs=judged + late, late=late)
    if narrow:
        return Verdict("narrow", narrow, judged + late, late)
    if judged:
        return Verdict(runs=judged + late, late=late)
    reason = refusal or ("all runs take too long" if late else "no sizes that PyTorch takes")
    return Verdict("refused", reason, late, late)


def plan(random, program, products=False):
    """The ways and sizes by which a program is judged."""
    symbols = sorted({size for p in program.parameters for size in (*p.sizes, p.below) if isinstance(size, str)})
    hints = {name: random.choice([1, 2, 16, 300, 4096, 50000, 1000000]) for name in symbols}
    ways = [Way("all"), Way("3", hints, True)]
    if random.random() < 0.3:
        ways.append(Way("2", {name: random.choice([8, 2000, 40000]) for name in symbols}, True))

    def draw(sizes):
        chosen = {name: random.choice(sizes) for name in random_text.SYMBOLS}
        spread = {p.name for p in program.parameters if random.random() < 0.25}
        return chosen, spread

    if products and re.search(r"in (reversed\()?range\(\w+\.shape", program.text()):
        # PyTorch takes the steps of a recurrence one by one.
        for way in ways:
            way.hints = {name: min(size, 300) for name, size in way.hints.items()}
    usual = (dict(random_text.SYMBOLS), set())
    if not products:
        return ways, [usual, draw([2, 3, 4, 7, 8, 16, 17, 33]), draw([0, 1, 1, 2, 5])]
    # One long axis: over products of more the interpreter takes long.
    some = draw([2, 3, 4, 7])
    some[0][random.choice(sorted(random_text.SYMBOLS))] = random.choice([8, 16, 17])
    return ways, [usual, some, draw([0, 1, 1, 2, 5])]
