#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares our reading of PyTorch's operators with PyTorch, over the sample arguments of PyTorch's own test suite.

Each sample of torch.testing's operator database becomes a function of its tensors; all else that it
is called with is written in the source. nereid-graph reads and evaluates it (compare.py).
usage: opinfo.py path/to/nereid-graph [--backward] [--dtype f32 ...] [--only WORD] [--refused] [--reference]
"""

import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn.functional as F
from torch.testing._internal.common_methods_invocations import op_db

import compare
import refusals

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "outside"))
import bound  # noqa: E402

HEADER = "import math\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
# Linear algebra, transforms, sparse and complex tensors, and draws of numbers.
OUTSIDE = (
    "linalg. fft. sparse. sspaddmm cholesky lu svd qr pca_lowrank "
    "triangular_solve matrix_exp pinverse ormqr geqrf logdet stft istft complex polar view_as_complex view_as_real real imag jiterator "
    "_scaled_mm torch.ops.aten._ to_sparse "
    "cfloat cdouble chalf resize_ set_ hash_tensor empty new_empty"
).split()
# bincount has the size that minlength says, where PyTorch's grows with the data.
RANDOM = (
    "rand randn normal bernoulli dropout multinomial uniform exponential cauchy geometric log_normal rrelu fractional_max_pool bincount"
).split()
# Of linear algebra, what is made of products and folds.
PRODUCTS = "linalg.vecdot linalg.matrix_power linalg.multi_dot linalg.cross linalg.diagonal".split()
# Which of equal elements these name, PyTorch does not say.
UNORDERED = "sort argsort topk kthvalue mode median nanmedian".split()
# PyTorch's float32 is far from exact in these (places rounded to 24 bits, sums in another order): its own error says how far.
COARSE = ("nn.functional.interpolate.bicubic", "nn.functional.grid_sample", "grid_sampler_2d", "grid_sampler_3d", "addbmm")
COARSE += ("nn.functional.conv_transpose3d",)


class Unwritten(Exception):
    """A value that no source text says."""


def write(value, tensors):
    """The source of a value; the tensors in it are noted and become parameters."""
    if isinstance(value, torch.Tensor):
        if value.is_complex() or value.is_sparse or value.is_quantized or value.dtype not in compare.NAMES:
            raise Unwritten("a tensor of " + str(value.dtype))
        tensors.append(value.detach())
        return "x%d" % (len(tensors) - 1)
    if isinstance(value, torch.Size):
        return "torch.Size(%r)" % list(value)
    if isinstance(value, (tuple, list)):
        items = [write(item, tensors) for item in value]
        if isinstance(value, list):
            return "[" + ", ".join(items) + "]"
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
    if isinstance(value, dict):
        return "{" + ", ".join("%r: %s" % (key, write(item, tensors)) for key, item in value.items()) + "}"
    if isinstance(value, slice):
        return "slice(%s)" % ", ".join(write(part, tensors) for part in (value.start, value.stop, value.step))
    if value is Ellipsis:
        return "..."
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"
    if value is None or isinstance(value, (bool, int, float, str, torch.dtype)):
        return repr(value)
    if isinstance(value, torch.device):
        return repr(value.type)
    if isinstance(value, (torch.memory_format, torch.layout)):
        return repr(value)
    raise Unwritten(type(value).__name__)


def places():
    """Where functions of torch stand, by themselves."""
    found = {}
    spaces = [
        ("torch.Tensor", torch.Tensor),
        ("torch.signal.windows", torch.signal.windows),
        ("torch.masked", torch.masked),
        ("torch.special", torch.special),
        ("torch.linalg", torch.linalg),
        ("F", F),
        ("torch", torch),
    ]
    for path, space in spaces:
        for name in dir(space):
            value = getattr(space, name, None)
            if callable(value):
                found[value] = path + "." + name
    return found


def spelled(op, known):
    """How a program names an operator; none for what the suite defines itself."""
    try:
        if op.op in known:
            return known[op.op]
    except TypeError:
        return None
    name = op.name.replace("nn.functional.", "F.")
    if name.startswith("F."):
        return name
    if hasattr(torch.Tensor, name) and not name.startswith("_"):
        return "torch.Tensor." + name
    return None


def call(path, arguments, keywords):
    if path.startswith("torch.Tensor."):
        name = path.removeprefix("torch.Tensor.")
        if not callable(getattr(torch.Tensor, name)):
            return arguments[0] + "." + name
        return "%s.%s(%s)" % (arguments[0], name, ", ".join(arguments[1:] + keywords))
    return "%s(%s)" % (path, ", ".join(arguments + keywords))


def is_outside(name):
    return name not in PRODUCTS and any(name.startswith(word) or "." + word in name for word in OUTSIDE)


def draws(name, sample):
    """Whether a sample of attention drops some of its weights."""
    if name == "nn.functional.scaled_dot_product_attention":
        return sample.kwargs.get("dropout_p", 0) > 0
    return name == "nn.functional.multi_head_attention_forward" and sample.kwargs["training"] and sample.args[9] > 0


def samples(options, dtype):
    """Yields (operator, function text, its tensors), and counts what cannot be written."""
    known, seen = places(), set()
    for op in op_db:
        full = op.name + ("." + op.variant_test_name if op.variant_test_name else "")
        if options.only not in full or is_outside(op.name):
            continue
        if any(word in op.name for word in RANDOM) or dtype not in op.supported_dtypes("cpu"):
            continue
        path = spelled(op, known)
        if path is None or options.backward and not op.supports_autograd:
            continue
        torch.manual_seed(0)
        make = op.reference_inputs if options.reference else op.sample_inputs
        try:
            found = list(make("cpu", dtype, requires_grad=False))
        except Exception as error:
            print("no samples of %s: %s" % (full, error))
            continue
        for sample in found[: options.most]:
            if draws(op.name, sample):
                continue
            tensors = []
            try:
                arguments = [write(value, tensors) for value in (sample.input, *sample.args)]
                keywords = ["%s=%s" % (key, write(value, tensors)) for key, value in sample.kwargs.items()]
            except Unwritten:
                continue
            text = call(path, arguments, keywords)
            key = (text, tuple((tensor.dtype, tensor.shape) for tensor in tensors))
            if key in seen or not tensors:
                continue
            seen.add(key)
            yield full, text, tensors


def run(options, cases, folder):
    """The answer to each case; a case that ends the tool itself has an error that says so."""
    path = folder / "cases.json"
    path.write_text(json.dumps(cases))
    command = [options.tool, "--cases", str(path)] + ["--backward"] * options.backward
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.returncode:
        return json.loads(done.stdout)
    if len(cases) == 1:
        return [{"kind": "crash", "error": "\n".join(done.stderr.strip().splitlines()[:2])}]
    half = len(cases) // 2
    return run(options, cases[:half], folder) + run(options, cases[half:], folder)


def judge(op, answer, expected, exact):
    """What differs; `exact` are the results in float64 of what PyTorch itself is not exact in, else none."""
    ours = [compare.load(entry) for entry in answer["results"]]
    if len(ours) != len(expected):
        return "%d results, PyTorch has %d" % (len(ours), len(expected))
    if op.split(".")[0] in UNORDERED and expected[-1].dtype == torch.int64:
        if ours[-1].shape != expected[-1].shape or ours[-1].dtype != torch.int64:
            return "other places"
        ours, expected = ours[:-1], expected[:-1]
    if exact:
        own_errors = map(bound.get_error, expected, exact)
        return next(filter(None, map(bound.compare, ours, exact, expected, own_errors)), "")
    return next(filter(None, map(compare.differs, ours, expected)), "")


def judge_gradients(answer, found):
    for name, theirs in found.items():
        entry = answer["gradients"][name]
        ours = compare.load(entry)
        if theirs is None:
            why = ours.any() and "not zero, PyTorch has none"
        else:
            # Some of PyTorch's derivatives have constants of seven digits.
            near = ours.shape == theirs.shape and torch.allclose(ours, theirs, rtol=1e-6, atol=1e-8, equal_nan=True)
            why = "" if near else compare.differs(ours, theirs)
        if why:
            return "gradient of %s: %s" % (name, why)
    return ""


def expect(program, tensors, backward):
    """What PyTorch computes: the results, or their cotangents and the gradients of the inputs by name."""
    if not backward:
        return compare.flatten(program(*[value.clone() for value in tensors]))
    # What PyTorch computes of float32 beside float64 has errors of its own; ours is in float64.
    types = {value.dtype for value in tensors if value.is_floating_point()}
    is_mixed = len(types) > 1
    leaves = [value.clone().double() if is_mixed and value.is_floating_point() else value.clone() for value in tensors]
    leaves = [leaf.requires_grad_(leaf.is_floating_point()) for leaf in leaves]
    results = compare.flatten(program(*leaves))
    generator = torch.Generator().manual_seed(len(tensors))
    cotangents = [
        torch.randn(r.shape, generator=generator, dtype=r.dtype) if r.is_floating_point() else None for r in results
    ]
    used = [(r, c) for r, c in zip(results, cotangents) if r.requires_grad]
    wanted = {"x%d" % i: leaf for i, leaf in enumerate(leaves) if leaf.requires_grad}
    of = [value for value, leaf in zip(tensors, leaves) if leaf.requires_grad]
    found = torch.autograd.grad([r for r, _ in used], list(wanted.values()), [c for _, c in used], allow_unused=True)
    found = [None if gradient is None else gradient.to(value.dtype) for gradient, value in zip(found, of)]
    return cotangents, dict(zip(wanted, found))


def cases_of(options, dtype, folder):
    """Yields what the tool is given of a sample, and (operator, text, inputs, what PyTorch computes, the same in float64)."""
    for number, (op, text, tensors) in enumerate(samples(options, dtype)):
        name = "case_%d" % number
        names = ["x%d" % place for place in range(len(tensors))]
        source = "def %s(%s):\n    return %s\n" % (name, ", ".join(names), text)
        space = {}
        exec(HEADER + source, space)
        try:
            expected = expect(space[name], tensors, options.backward)
        except Exception:
            continue
        results = expected[0] if options.backward else expected
        exact = []
        if op in COARSE and not options.backward and dtype != torch.float64:
            exact = expect(space[name], [t.double() if t.is_floating_point() else t for t in tensors], False)
        if not results or any(value is not None and value.dtype not in compare.NAMES for value in results):
            continue
        path = folder / (name + ".py")
        path.write_text(HEADER + source)
        arrays = {n: compare.save(value, folder / (name + "_" + n)) for n, value in zip(names, tensors)}
        given = ",".join("%s=%s[%s]" % (n, e["dtype"], ",".join(map(str, e["shape"]))) for n, e in arrays.items())
        case = {"path": str(path), "name": name, "inputs": given, "arrays": arrays, "out": str(folder / name)}
        if options.backward:
            outs = [folder / ("%s_c%d" % (name, place)) for place in range(len(results))]
            case["cotangents"] = [c if c is None else compare.save(c, out) for c, out in zip(results, outs)]
        yield case, (op, text, given, expected[1] if options.backward else expected, exact)


def verdict(options, op, answer, expected, exact):
    """What is wrong with an answer, or that it is a refusal."""
    if answer.get("kind") == "crash":
        return "crash: " + answer["error"]
    if "error" not in answer:
        return judge_gradients(answer, expected) if options.backward else judge(op, answer, expected, exact)
    if options.backward and "no result has a gradient" in answer["error"]:
        return "no gradient" if any(value is not None and value.any() for value in expected.values()) else ""
    return "refused: " + " ".join(answer["error"].split())[:300]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--reference", action="store_true", help="the samples for reference implementations: more")
    parser.add_argument("--dtype", action="append")
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=1000, help="samples of an operator")
    parser.add_argument("--refused", action="store_true", help="print what is refused, where that is expected too")
    parser.add_argument("--table", action="store_true", help="print the lines of refusals.txt for what is refused")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds, problems, table = collections.Counter(), [], []
    judge = "gradients" if options.backward else "graph"
    for word in options.dtype or ["f32", "i64", "bool"]:
        refused = collections.Counter()
        with tempfile.TemporaryDirectory(prefix="opinfo") as folder:
            cases, kept = [], []
            for case, entry in cases_of(options, compare.DTYPES[word], pathlib.Path(folder)):
                cases.append(case)
                kept.append(entry)
            for (op, text, given, expected, exact), answer in zip(kept, run(options, cases, pathlib.Path(folder))):
                why = verdict(options, op, answer, expected, exact)
                is_refused = why.startswith("refused")
                refused[op] += is_refused
                kinds["refused" if is_refused else "wrong" if why else "right"] += 1
                if why and (options.refused or not is_refused):
                    print("%s: %s (%s): %s" % (op, text, given, why))
        refused = +refused
        problems += refusals.judge(refused, judge, word, options.most)
        table += refusals.lines(refused, judge, word, options.most)
    if options.table:
        print("\n".join(table))
    for problem in problems:
        print("FAIL", problem)
    wrong = kinds["wrong"] + len(problems)
    print("opinfo: %d right, %d wrong, %d refused" % (kinds["right"], wrong, kinds["refused"]))
    return 1 if wrong or not kinds["right"] else 0


if __name__ == "__main__":
    sys.exit(main())
