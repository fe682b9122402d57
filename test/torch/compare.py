#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares our reading of PyTorch programs with PyTorch: shapes, dtypes and values.

Each entry of table.py becomes a function in one file; nereid-graph reads it into the graph dialect
and evaluates that in float64, PyTorch runs it on the CPU. What PyTorch refuses we must refuse.
usage: compare.py path/to/nereid-graph [--double] [words that the entries must contain]
With --double the entries of float32 are entries of float64.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import torch

import table

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u8": torch.uint8,
    "bool": torch.bool,
}
NAMES = {value: key for key, value in DTYPES.items()}
# relative and absolute tolerance by the result's type; ours computes in float64
TOLERANCE = {
    torch.float64: (1e-12, 1e-12),
    torch.float32: (3e-5, 3e-6),
    torch.float16: (4e-3, 4e-3),
    torch.bfloat16: (3e-2, 3e-2),
}

# With --double float32 is float64, whose bound a constant of seven digits does not meet. Left out is what PyTorch itself has to
# fewer digits (mpmath says so), or takes float32 alone for.
SINGLE = ("bessel_", "airy_ai", "polygamma", "igamma", "_window(", "fake_quantize", "histogram", "F.batch_norm(x, y, z, w, u, True, 0.3)", "torch.empty(3, 5)")


def make(spec, number):
    """An input for a specification: `f32[4,5]`, with `>0` for positive numbers, `<N` for indices; a size may
    have a name that says what it is, `N4`."""
    dtype, rest = spec.split("[")
    sizes, _, suffix = rest.partition("]")
    shape = [int(size.removeprefix("N")) for size in sizes.split(",") if size]
    generator = torch.Generator().manual_seed(100 + number)
    kind = DTYPES[dtype]
    if kind.is_floating_point:
        value = torch.randn(shape, generator=generator, dtype=torch.float64) * 2
        if suffix == ">0":
            value = value.abs() + 0.1
        elif suffix == "unit":
            value = torch.tanh(value) * 0.95
        elif suffix == "share":
            value = torch.sigmoid(value)
        elif suffix == "odd" and value.numel() >= 6:
            flat = value.view(-1)
            flat[:6] = torch.tensor([float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 30.0])
        return value.to(kind)
    if kind == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if suffix.startswith("<"):
        return torch.randint(0, int(suffix[1:]), shape, generator=generator).to(kind)
    low = 1 if suffix == ">0" else 0 if dtype == "u8" else -9
    return torch.randint(low, 10, shape, generator=generator).to(kind)


def save(value, path):
    """Writes the bytes of a tensor; returns its description."""
    value = value.contiguous()
    raw = value.view(torch.int16) if value.dtype in (torch.float16, torch.bfloat16) else value
    path.write_bytes(raw.numpy().tobytes())
    return {"dtype": NAMES[value.dtype], "shape": list(value.shape), "file": str(path)}


def load(entry):
    raw = pathlib.Path(entry["file"]).read_bytes()
    dtype = DTYPES[entry["dtype"]]
    if not raw:
        return torch.empty(entry["shape"], dtype=dtype)
    plain = torch.int16 if dtype in (torch.float16, torch.bfloat16) else dtype
    value = torch.frombuffer(bytearray(raw), dtype=plain)
    return (value if plain == dtype else value.view(dtype)).reshape(entry["shape"])


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flatten(item)]
    return []


def differs(ours, theirs):
    """Why two results differ; empty when they are equal."""
    if ours.dtype != theirs.dtype:
        return "dtype %s, PyTorch has %s" % (ours.dtype, theirs.dtype)
    if ours.shape != theirs.shape:
        return "shape %s, PyTorch has %s" % (tuple(ours.shape), tuple(theirs.shape))
    if not ours.is_floating_point():
        return (
            ""
            if torch.equal(ours, theirs)
            else "values %s, PyTorch has %s" % (ours.flatten()[:8].tolist(), theirs.flatten()[:8].tolist())
        )
    relative, absolute = TOLERANCE[ours.dtype]
    a, b = ours.double(), theirs.double()
    if torch.allclose(a, b, rtol=relative, atol=absolute, equal_nan=True):
        return ""
    bad = ~torch.isclose(a, b, rtol=relative, atol=absolute, equal_nan=True)
    return "values %s, PyTorch has %s" % (a[bad][:4].tolist(), b[bad][:4].tolist())


def function(name, text, count):
    """The source of a function of x, y, z, ... whose last line is an expression."""
    lines = [line for line in text.strip().split("\n")]
    body = "".join("    %s\n" % line for line in lines[:-1])
    arguments = ", ".join("xyzwuv"[:count])
    return "def %s(%s):\n%s    return %s\n\n\n" % (name, arguments, body, lines[-1])


def is_doubled(text, specs):
    """Whether an entry of float32 is one of float64 too."""
    return any("f32[" in spec for spec in specs) and not any(part in text for part in SINGLE)


def main():
    tool, words = sys.argv[1], [word for word in sys.argv[2:] if word != "--double"]
    entries = [entry for entry in table.entries() if all(word in entry[0] for word in words)]
    if "--double" in sys.argv:
        entries = [(text, [spec.replace("f32[", "f64[") for spec in specs]) for text, specs in entries if is_doubled(text, specs)]
    folder = pathlib.Path(tempfile.mkdtemp())
    header = "import math\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"
    names = ["case_%d" % number for number in range(len(entries))]
    sources = [function(name, text, len(specs)) for name, (text, specs) in zip(names, entries)]
    cases, inputs = [], []
    for number, (name, (text, specs)) in enumerate(zip(names, entries)):
        # One small file a case: a file is read whole each time.
        path = folder / (name + ".py")
        path.write_text(header + sources[number])
        values = [make(spec, place) for place, spec in enumerate(specs)]
        arrays = {"xyzwuv"[i]: save(value, folder / ("%s_in%d" % (name, i))) for i, value in enumerate(values)}
        given = ",".join("%s=%s]" % ("xyzwuv"[i], spec.split("]")[0]) for i, spec in enumerate(specs))
        cases.append(
            {
                "path": str(path),
                "name": name,
                "inputs": given,
                "arrays": arrays,
                "out": str(folder / name),
            }
        )
        inputs.append(values)
    (folder / "cases.json").write_text(json.dumps(cases))
    run = subprocess.run([tool, "--cases", str(folder / "cases.json")], capture_output=True, text=True)
    if run.returncode:
        print(run.stderr[-2000:])
        print("torch: the tool failed with status %d" % run.returncode)
        return 1
    answers = json.loads(run.stdout)
    space = {}
    exec(header + "".join(sources), space)
    equal = bad = 0
    for name, (text, specs), values, answer in zip(names, entries, inputs, answers):
        copies = [value.clone() for value in values]
        try:
            expected, refused = flatten(space[name](*copies)), ""
        except Exception as error:
            expected, refused = (
                [],
                type(error).__name__ + ": " + str(error).split("\n")[0],
            )
        why = ""
        if refused:
            why = "" if answer.get("kind") == "import" else "PyTorch refuses: " + refused
        elif "error" in answer:
            why = answer["kind"] + ": " + answer["error"]
        else:
            ours = [load(entry) for entry in answer["results"]]
            if len(ours) != len(expected):
                why = "%d results, PyTorch has %d" % (len(ours), len(expected))
            for a, b in zip(ours, expected):
                why = why or differs(a, b)
            after = {entry["name"]: load(entry) for entry in answer["assigned"]}
            for i, (value, copy) in enumerate(zip(values, copies)):
                argument = "xyzwuv"[i]
                why = why or (
                    differs(after.get(argument, value), copy)
                    and "argument %s: %s" % (argument, differs(after.get(argument, value), copy))
                )
        equal += not why
        bad += bool(why)
        if why:
            print("differs: %s  (%s): %s" % (text.replace("\n", "; "), ", ".join(specs), why))
    print("torch: %d right, %d wrong" % (equal, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
