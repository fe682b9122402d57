# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether kernels converted with --debug raise an alarm where PyTorch raises because of an index, and nowhere else.

    checked_indices.py BINARY [--only WORD]

Each operator that takes indices is converted with --debug at stages 1 and 3, with its gradient where it has one, and run
under upstream Triton's interpreter with its assertions on: right indices, the first and the last among them, give
PyTorch's results and no alarm; one wrong index among them is an alarm that names the operator and the line. Nereid's own
interpreter runs the launches of both too. Without --debug no kernel asserts anything. Exits 1 on a difference.
"""

import argparse
import dataclasses
import subprocess
import sys
import tempfile
from pathlib import Path

import upstream  # noqa: F401  (before triton)

import loading
import own_interpreter
import torch
from alarms import Alarm, hear_assertions
from checked_launches import recorded
from triton.runtime.errors import InterpreterError

OUTSIDE = "an index lies outside of its axis"


@dataclasses.dataclass
class Program:
    """Body over x, i and more; indices of one `shape` below `size`, or from -size on where they wrap around."""

    body: str
    what: str
    inputs: str = "x=f32[N,K],i=i64[L]"
    size: int = 5
    shape: tuple = (7,)
    wraps: bool = False
    right: tuple = ()
    has_gradient: bool = True
    #: Typical sizes and those of the call.
    sizes: dict = dataclasses.field(default_factory=lambda: {"N": 5, "K": 6, "L": 7})


ELEMENTS = {"inputs": "x=f32[N,K],i=i64[L,K],v=f32[L,K]", "shape": (7, 6)}
ROWS = {"inputs": "x=f32[N,K],i=i64[L],v=f32[L,K]"}
CLASSES = {"inputs": "x=f32[N,K],i=i64[N]", "size": 6, "shape": (5,)}
IGNORED = {**CLASSES, "right": (-100,)}
PROGRAMS = {
    "embedding": Program("F.embedding(i, x) * 2", "embedding"),
    "embedding_of_32_bits": Program("F.embedding(i, x) * 2", "embedding", inputs="x=f32[N,K],i=i32[L]"),
    "embedding_by_frequency": Program("F.embedding(i, x, scale_grad_by_freq=True)", "embedding"),
    "embedding_with_padding": Program("F.embedding(i, x, padding_idx=1)", "embedding"),
    "embedding_bag": Program("F.embedding_bag(i, x)", "embedding_bag", inputs="x=f32[N,K],i=i64[L,3]", shape=(7, 3)),
    "embedding_bag_with_offsets": Program("F.embedding_bag(i, x, torch.tensor([0, 3]), mode='sum')", "embedding_bag"),
    "computed": Program("F.embedding(i + 3, x).sum(1)", "embedding", right=(-3, 1), size=2),
    "beside_another": Program("torch.cat([F.embedding(i + 2, x), v]).exp()", "embedding", size=3, right=(-2,), **ROWS),
    "gather": Program("torch.gather(x, 0, i)", "gather", inputs="x=f32[N,K],i=i64[L,K]", shape=(7, 6)),
    "take": Program("torch.take(x, i)", "indexing", size=30, wraps=True),
    "take_along": Program("torch.take_along_dim(x, i)", "gather", size=30),
    "index_select": Program("torch.index_select(x, 0, i)", "index_select"),
    "subscript": Program("x[i]", "indexing", wraps=True),
    "subscript_of_columns": Program("x[:, i].sum(0)", "indexing", size=6, wraps=True),
    "two_subscripts": Program("x[i, i]", "indexing", wraps=True),
    "subscript_in_a_where": Program("torch.where(v > 0, x[i], v)", "indexing", wraps=True, **ROWS),
    "stored_rows": Program("y = x * 1; y[i] = v; y", "index_copy", wraps=True, has_gradient=False, **ROWS),
    "stored_elements": Program("y = x * 1; y[i, i] = 3.0; y", "indexing", wraps=True, has_gradient=False),
    "index_put": Program("x.index_put((i,), v, accumulate=True)", "index_add", wraps=True, **ROWS),
    "index_add": Program("x.index_add(0, i, v)", "index_add", **ROWS),
    "index_copy": Program("x.index_copy(0, i, v)", "index_copy", has_gradient=False, **ROWS),
    "index_fill": Program("x.index_fill(0, i, 2.0)", "index_fill", wraps=True),
    "index_reduce": Program("x.index_reduce(0, i, v, 'amax')", "index_reduce", has_gradient=False, **ROWS),
    "scatter": Program("x.scatter(0, i, 2.0)", "scatter", **ELEMENTS),
    "scatter_add": Program("x.scatter_add(0, i, v)", "scatter_add", **ELEMENTS),
    "scatter_reduce": Program("x.scatter_reduce(0, i, v, 'amin')", "scatter_reduce", has_gradient=False, **ELEMENTS),
    "put": Program("(x * 1).put_(i, v[:, 0], accumulate=True)", "put_", size=30, wraps=True, **ROWS),
    "nll_loss": Program("F.nll_loss(x, i)", "a class of a loss", **IGNORED),
    "cross_entropy": Program("F.cross_entropy(x, i, reduction='sum')", "a class of a loss", **IGNORED),
    "cross_entropy_with_weights": Program("F.cross_entropy(x, i, x[0].detach().exp(), label_smoothing=0.1)", "a class of a loss", **IGNORED),
    "multi_margin_loss": Program("F.multi_margin_loss(x, i)", "multi_margin_loss", **CLASSES),
    "one_hot": Program("F.one_hot(i, 6) * x.sum()", "one_hot", **CLASSES),
    "bincount": Program("torch.bincount(i, minlength=5) + x.sum()", "bincount"),
    "max_unpool": Program(
        "F.max_unpool1d(x, i, 2)", "max_unpool", inputs="x=f32[N,K],i=i64[N,K]", size=12, shape=(5, 6), has_gradient=False
    ),
}  # fmt: skip


def source_of():
    lines = ["import torch", "import torch.nn.functional as F", ""]
    for name, program in PROGRAMS.items():
        arguments = ", ".join(argument for argument, _, _ in specs_of(program.inputs))
        *before, result = program.body.split("; ")
        lines += ["", f"def {name}({arguments}):", *(f"    {step}" for step in before), f"    return {result}", ""]
    return "\n".join(lines)


def inputs_of(program, generator):
    """Tensors by name; the first index is the least, the second the greatest that is right."""
    least = -program.size if program.wraps else 0
    found = {}
    for name, kind, axes in specs_of(program.inputs):
        shape = [program.sizes.get(axis) or int(axis) for axis in axes]
        if kind == "f32":
            found[name] = torch.randn(shape, generator=generator)
            continue
        indices = torch.randint(least, program.size, program.shape, generator=generator)
        for place, value in enumerate((least, program.size - 1, *program.right)):
            indices.view(-1)[place] = value
        found[name] = indices.to(torch.int32 if kind == "i32" else torch.int64)
    return found


def specs_of(text):
    """Name, type and axes of each input."""
    for part in text.replace("],", "];").split(";"):
        name, spec = part.split("=")
        kind, axes = spec[:-1].split("[")
        yield name, kind, axes.split(",")


def wrong_indices(program):
    """Just beyond the end, far beyond it, and before the start."""
    low = -program.size - 1 if program.wraps else -1
    # An offset that the program adds moves the start.
    moved = low + min(program.right) if program.what == "embedding" and program.right else low
    return [program.size, 1 << 30, moved]


def run(program, inputs, has_gradient):
    """The results and gradients of a call; an alarm, which upstream's interpreter wraps, is raised as such."""
    try:
        return compute(program, inputs, has_gradient)
    except InterpreterError as error:
        raise error.__cause__ if isinstance(error.__cause__, Alarm) else error


def compute(program, inputs, has_gradient):
    inputs = {name: x.clone().requires_grad_(has_gradient and x.is_floating_point()) for name, x in inputs.items()}
    result = program(*inputs.values())
    if not has_gradient:
        return [result.detach()]
    result.float().pow(2).sum().backward()
    return [result.detach(), *(x.grad for x in inputs.values() if x.grad is not None)]


def with_wrong(inputs, index):
    """The last index is wrong: the others are right, and none of those that lanes beyond the end may take for theirs."""
    indices = inputs["i"].clone()
    indices.view(-1)[-1] = index
    return {**inputs, "i": indices}


def run_own(binary, path, launches, folder):
    """What Nereid's own interpreter finds in launches."""
    found = []
    for number, launch in enumerate(launches.values()):
        arguments = own_interpreter.Arguments(launch, Path(folder) / f"{path.stem}_{number}_{len(list(folder.iterdir()))}")
        found.append(own_interpreter.run_checked(binary, path, arguments))
    return "; ".join(filter(None, found))


def judge_right(binary, path, emitted, program, inputs, expected, folder):
    with recorded() as launches:
        try:
            found = run(emitted, inputs, program.has_gradient)
        except Alarm as alarm:
            return f"a false alarm: {alarm}"
    if len(found) != len(expected) or not all(map(torch.allclose, found, expected, [1e-4] * 9, [1e-5] * 9)):
        return "another result"
    heard = run_own(binary, path, launches, folder)
    return f"the own interpreter finds {heard}" if heard else ""


def judge_wrong(binary, path, emitted, program, inputs, folder):
    with recorded() as launches:
        try:
            run(emitted, inputs, program.has_gradient)
            return "no alarm"
        except Alarm as alarm:
            text = str(alarm)
    if not text.startswith(f"{program.what}: {OUTSIDE} (programs.py:"):
        return f"the alarm is '{text}'"
    # One kind of wrong index tells.
    if inputs["i"].flatten()[-1] != program.size:
        return ""
    heard = run_own(binary, path, launches, folder)
    return "" if OUTSIDE in heard else f"the own interpreter finds '{heard}'"


def convert(binary, source, name, program, folder, *options):
    """The emitted files of stages 1 and 3."""
    backward = ["--backward"] if program.has_gradient else []
    command = [binary, "convert", f"{source}:{name}", "--inputs", program.inputs, *backward, "--stage", "all", "-o", folder]
    done = subprocess.run([*command, *options], capture_output=True, text=True)
    return done.stderr, [folder / f"{name}_stage{stage}.py" for stage in (1, 3)]


def is_right(original, inputs):
    try:
        original(*inputs.values())
    except (IndexError, RuntimeError):
        return False
    return True


def judge(binary, source, name, program, folder):
    """The problems of a program, and how many calls were judged."""
    original = getattr(loading.load(source), name)
    inputs = inputs_of(program, torch.Generator().manual_seed(1))
    expected = run(original, inputs, program.has_gradient)
    error, plain = convert(binary, source, name, program, folder / f"{name}_plain")
    if error or any("device_assert" in path.read_text() for path in plain):
        return [f"{name}: {error or 'there are assertions without --debug'}"], 1
    error, paths = convert(binary, source, name, program, folder / name, "--debug")
    if error:
        return [f"{name}: {error}"], 1
    problems, count = [], 0
    for path in paths:
        emitted = getattr(loading.load(path), name)
        problem = judge_right(binary, path, emitted, program, inputs, expected, folder)
        problems += [f"{path.stem}, right indices: {problem}"] if problem else []
        count += 1
        for index in wrong_indices(program):
            wrong = with_wrong(inputs, index)
            if is_right(original, wrong) and name != "bincount":
                problems.append(f"{name}: PyTorch takes {index}")
                continue
            problem = judge_wrong(binary, path, emitted, program, wrong, folder)
            problems += [f"{path.stem}, index {index}: {problem}"] if problem else []
            count += 1
    return problems, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.set_num_threads(1)
    hear_assertions()
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "programs.py"
        source.write_text(source_of())
        runs = Path(folder) / "runs"
        runs.mkdir()
        for name, program in PROGRAMS.items():
            if options.only in name:
                problems, judged = judge(options.binary, source, name, program, runs)
                count, wrong = count + judged, wrong + len(problems)
                for problem in problems:
                    print(f"FAIL {problem}", flush=True)
    print(f"checked indices: {count - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
