#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares gradients with those of PyTorch's autograd in float64, through the graph evaluator.

The programs are the entries of test/torch/table.py that take floating-point tensors, those of
table.py here, and the same at kinks: zeros, ties, bounds, infinities, numbers whose exponential
overflows; reductions of what is missing, infinite, zero or empty. The gradients of the results are
random. What PyTorch refuses we must refuse.
usage: compare.py path/to/nereid-graph [words that the entries must contain]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "torch"))

import compare as forward
import gradients
import table

# What is not read yet is for test/torch/compare.py to judge.
UNREAD = "not read"

HEADER = "import math\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
NAMES = "xyzwuv"


def entries():
    """(text, specs) without repetition, floating-point inputs in float64."""
    found = {}
    for text, specs in table.entries() + gradients.PROGRAMS:
        floats = [spec for spec in specs if spec.startswith(("f", "bf"))]
        if not floats or any(not spec.startswith(("f32", "f64")) for spec in floats):
            continue
        plain = tuple(spec.replace("f32", "f64").replace("odd", "") for spec in specs)
        found[text, plain] = None
    for text in table.split(table.UNARY) + table.split(table.UNIT):
        found[text, ("f64[%d]kinks" % len(gradients.KINKS),)] = None
    for text in table.split(table.BINARY):
        size = len(gradients.PAIRS) ** 2
        found[text, ("f64[%d]left" % size, "f64[%d]right" % size)] = None
    for text in table.split(table.REDUCTIONS) + table.split(table.FLOAT_REDUCTIONS):
        found[text, ("f64[2,3,4]ties",)] = None
    for text in table.split(gradients.EDGE_PROGRAMS):
        found[text.replace("INF", "float('inf')"), ("f64[4,15]edges",)] = None
    for text, specs in gradients.KINK_PROGRAMS:
        found[text, tuple(specs)] = None
    return [(text, list(specs)) for text, specs in found]


def make(spec, number):
    sizes, _, suffix = spec.partition("[")[2].partition("]")
    pairs = torch.tensor(gradients.PAIRS, dtype=torch.float64)
    if suffix == "edges":
        return torch.tensor(gradients.EDGES, dtype=torch.float64).t().contiguous()
    if suffix == "kinks":
        return torch.tensor(gradients.KINKS, dtype=torch.float64)
    if suffix == "left":
        return pairs.repeat_interleave(len(pairs))
    if suffix == "right":
        return pairs.repeat(len(pairs))
    if suffix == "ties":
        shape = [int(size) for size in sizes.split(",") if size]
        generator = torch.Generator().manual_seed(7 + number)
        return torch.randint(-1, 3, shape, generator=generator).double()
    return forward.make(spec, number)


def gradients_of(results, inputs, generator):
    """The random gradients of the floating-point results, and PyTorch's of the inputs."""
    cotangents = [
        torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
        if value.is_floating_point()
        else None
        for value in results
    ]
    wanted = [value for value in inputs if value.is_floating_point()]
    used = [(r, c) for r, c in zip(results, cotangents) if r.requires_grad]
    if not used:
        return cotangents, [None for _ in wanted]
    found = torch.autograd.grad([r for r, _ in used], wanted, [c for _, c in used], allow_unused=True)
    return cotangents, list(found)


def differs(ours, theirs, zero, single):
    """Why two gradients differ; empty when they are equal."""
    if theirs is None:
        return "" if zero or not ours.any() else "not zero, PyTorch has no gradient"
    if ours.shape != theirs.shape:
        return "shape %s, PyTorch has %s" % (tuple(ours.shape), tuple(theirs.shape))
    if theirs.dtype in forward.TOLERANCE and theirs.dtype != torch.float64:
        relative, absolute = forward.TOLERANCE[theirs.dtype]
    else:
        relative, absolute = (1e-5, 1e-6) if single else (1e-9, 1e-10)
    a, b = ours.double(), theirs.double()
    near = torch.isclose(a, b, rtol=relative, atol=absolute, equal_nan=True)
    if near.all():
        return ""
    places = (~near).nonzero()[:4].tolist()
    return "at %s %s, PyTorch has %s" % (places, a[~near][:4].tolist(), b[~near][:4].tolist())


def expect(text, program, values, generator):
    """PyTorch's gradients; (cotangents, gradients, why it refuses)."""
    if text in gradients.WIDER:
        results = forward.flatten(program(*[value.clone() for value in values]))
        return *gradients_of(results, values, generator), ""
    leaves = [value.clone().requires_grad_(value.is_floating_point()) for value in values]
    try:
        results = forward.flatten(program(*leaves))
        return *gradients_of(results, leaves, generator), ""
    except Exception as error:
        return [], [], type(error).__name__ + ": " + str(error).split("\n")[0]


def judge(text, answer, gradients_, refused, values):
    if refused:
        return "" if "error" in answer else "PyTorch refuses: " + refused
    if "no result has a gradient" in answer.get("error", "") and not any(value is not None for value in gradients_):
        return ""
    if answer.get("kind") == "import":
        return UNREAD
    if "error" in answer:
        return answer["kind"] + ": " + answer["error"]
    single = any(word in text for word in gradients.SINGLE)
    wanted = [i for i, value in enumerate(values) if value.is_floating_point()]
    for i, theirs in zip(wanted, gradients_):
        entry = answer["gradients"][NAMES[i]]
        why = differs(forward.load(entry), theirs, entry["zero"], single)
        if why:
            return "gradient of %s: %s" % (NAMES[i], why)
    return ""


def is_listed(tool):
    """Whether docs/gradients.md has the primitives without a gradient as they are."""
    page = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "gradients.md"
    run = subprocess.run([tool, "--without-gradient"], capture_output=True, text=True)
    return bool(run.stdout) and "```\n$ nereid-graph --without-gradient\n%s```\n" % run.stdout in page.read_text()


def main():
    tool, words = sys.argv[1], sys.argv[2:]
    if not is_listed(tool):
        print("docs/gradients.md: the list differs from nereid-graph --without-gradient")
        return 1
    warnings.simplefilter("ignore")
    chosen = [e for e in entries() if all(word in e[0] for word in words)]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="autodiff"))
    cases, expected, kept = [], [], []
    for number, (text, specs) in enumerate(chosen):
        name = "case_%d" % number
        source = forward.function(name, text, len(specs))
        space = {}
        exec(HEADER + source, space)
        values = [make(spec, place) for place, spec in enumerate(specs)]
        generator = torch.Generator().manual_seed(number)
        cotangents, theirs, refused = expect(text, space[name], values, generator)
        path = folder / (name + ".py")
        path.write_text(HEADER + source)
        arrays = {NAMES[i]: forward.save(value, folder / ("%s_in%d" % (name, i))) for i, value in enumerate(values)}
        saved = [
            None if c is None else forward.save(c, folder / ("%s_c%d" % (name, i))) for i, c in enumerate(cotangents)
        ]
        given = ",".join("%s=%s]" % (NAMES[i], s.split("]")[0]) for i, s in enumerate(specs))
        cases.append(
            {
                "path": str(path),
                "name": name,
                "inputs": given,
                "arrays": arrays,
                "cotangents": saved,
                "out": str(folder / name),
            }
        )
        expected.append((theirs, refused))
        kept.append(values)
    (folder / "cases.json").write_text(json.dumps(cases))
    command = [tool, "--cases", str(folder / "cases.json"), "--backward"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        print(run.stderr[-2000:])
        print("autodiff: the tool failed with status %d" % run.returncode)
        return 1
    equal = bad = unread = 0
    for (text, specs), answer, (theirs, refused), values in zip(chosen, json.loads(run.stdout), expected, kept):
        why = judge(text, answer, theirs, refused, values)
        unread += why == UNREAD
        if why == UNREAD:
            continue
        equal += not why
        bad += bool(why)
        if why:
            print("differs: %s  (%s): %s" % (text.replace("\n", "; "), ", ".join(specs), why))
    print("autodiff: %d right, %d wrong; %d not read" % (equal, bad, unread))
    return 1 if bad or unread > equal // 20 else 0


if __name__ == "__main__":
    sys.exit(main())
