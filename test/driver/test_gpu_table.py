# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/gpu_table.py as far as it needs no GPU: conversion, comparison, least bytes, where it goes on, the table."""

import argparse
import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

import gpu_table
from timed_programs import Marks, read_source

GATE = '''"""A gate with a weight."""
# constants: mask

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x, mask):
        return torch.sigmoid(x * self.weight) * mask


def get_inputs():
    return [torch.randn(6, 10), torch.rand(6, 10)]


def get_init_inputs():
    return [10]
'''

JUDGE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from timed_programs import Program
for way in ("forward", "backward"):
    program = Program(Path(sys.argv[2]), way, "cpu")
    emitted = program.load_emitted(sys.argv[3])
    print(json.dumps([program.get_error(emitted), program.get_least_bytes()]))
"""


def judge(nereid, emitted):
    """Of each way the error over what is allowed, and the least bytes."""
    nereid.write("judge.py", JUDGE)
    command = [sys.executable, "judge.py", str(ROOT / "bench"), "gate.py", str(emitted)]
    env = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run(command, cwd=nereid.folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return [(error, least) for (error, _), least in map(json.loads, done.stdout.splitlines())]


def test_program(nereid):
    nereid.write("gate.py", GATE)
    result = nereid("convert", "gate.py", "--backward", "--stage", "3", "--json")
    assert result.returncode == 0, result.stderr
    path = nereid.folder / json.loads(result.stdout)["files"][0]["path"]
    forward, backward = judge(nereid, path)
    assert max(forward[0], backward[0]) <= 1
    # x, mask and the result, and the weight; then the result's gradient, those of x and the weight, x and mask again.
    assert (forward[1], backward[1]) == (3 * 240 + 40, 3 * 240 + 40 + 2 * 240 + 40 + 2 * 240)


def test_wrong_kernel_is_noticed(nereid):
    nereid.write("gate.py", GATE)
    result = nereid("convert", "gate.py", "--backward", "--stage", "3", "--json")
    path = nereid.folder / json.loads(result.stdout)["files"][0]["path"]
    text = path.read_text()
    wrong = re.sub(r"(tl\.exp2?\()", r"1.02 * \1", text)
    assert wrong != text
    path.write_text(wrong)
    assert all(error > 1 for error, _ in judge(nereid, path))


STATISTICS = '''"""A gate that keeps statistics."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return torch.sigmoid(self.norm(x))


def get_inputs():
    return [torch.randn(6, 10)]


def get_init_inputs():
    return [10]
'''

# Emitted files: the gradients of all that have the right results in eval mode are right.
FAKE = """import torch
import gate


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Gate(gate.Gate):
    def forward(self, *inputs):
        def out():
            return super(Gate, self).forward(*inputs)

        return {}
"""


def norm(mean, var, training="False"):
    return f"torch.sigmoid(torch.batch_norm(*inputs, self.norm.weight, self.norm.bias, {mean}, {var}, {training}, 0.1, 1e-5, False))"


# What is returned, by which program, and where it is wrong.
BUFFERS = ("num_batches_tracked", "running_mean", "running_var")
FAKES = {
    "right": (GATE, "out()", []),
    "right statistics": (STATISTICS, "out()", []),
    "results": (GATE, "Scaled.apply(out(), 1.5)", ["result 0", "result 0, without gradients"]),
    "a little": (GATE, "Scaled.apply(out(), 1 + 3e-6)", ["result 0", "result 0, without gradients"]),
    "without gradients": (
        GATE,
        "out() if torch.is_grad_enabled() else 1.5 * out()",
        ["result 0, without gradients"],
    ),
    "in training": (
        STATISTICS,
        "Scaled.apply(out(), 1.5 if self.training else 1.0)",
        ["result 0, in training", "result 0, without gradients, in training"],
    ),
    "one element of many": (
        STATISTICS.replace("randn(6, 10)", "randn(6000, 10)"),
        "out() + 0.1 * (torch.arange(60000) == 17).view(6000, 10) * (not self.training and torch.is_grad_enabled())",
        ["result 0"],
    ),
    "no statistics": (
        STATISTICS,
        f"out() if self.training or torch.is_grad_enabled() else {norm('torch.zeros(10)', 'torch.ones(10)')}",
        ["result 0, without gradients"],
    ),
    "no mean": (
        STATISTICS,
        f"out() if self.training or torch.is_grad_enabled() else {norm('torch.zeros(10)', 'self.norm.running_var')}",
        ["result 0, without gradients"],
    ),
    "a result more": (GATE, "(out(), inputs[0].detach())", ["results"]),
    "no updates": (
        STATISTICS,
        f"{norm('self.norm.running_mean.clone()', 'self.norm.running_var.clone()', 'True')} if self.training else out()",
        [f"buffer norm.{name}{more}, in training" for more in ("", ", without gradients") for name in BUFFERS],
    ),
}

NAMES = """
import json, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import timed_programs
from timed_programs import Program
timed_programs.PART = 1000
for folder in sys.argv[2:]:
    sys.modules.pop("gate", None)
    sys.path[0] = folder
    program = Program(Path(folder, "gate.py"), "backward", "cpu")
    emitted = program.load_emitted(f"{folder}/fake.py")
    modules, before = (program.original, emitted), [x.clone() for x in program.original.state_dict().values()]
    wrong = [name for name, (error, _) in program.find_errors(emitted).items() if not error <= 1]
    print(json.dumps(wrong))
    # What is timed stays as it is, on a GPU.
    assert "upstream" not in sys.modules
    assert all(module.training for module in modules)
    assert all(bool((a == b).all()) for each in modules for a, b in zip(before, each.state_dict().values()))
"""


def test_wrong_results_are_noticed(nereid):
    for what, (program, result, _) in FAKES.items():
        (nereid.folder / what).mkdir()
        nereid.write(f"{what}/gate.py", program)
        nereid.write(f"{what}/fake.py", FAKE.format(result))
    nereid.write("names.py", NAMES)
    command = [sys.executable, "names.py", str(ROOT / "bench"), *FAKES]
    env = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run(command, cwd=nereid.folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    said = list(map(json.loads, done.stdout.splitlines()))
    for (what, (_, _, wrong)), names in zip(FAKES.items(), said, strict=True):
        assert [name.split(" [")[0] for name in names] == wrong, what


def test_small_sizes(tmp_path):
    """Numbers of `get_inputs()` alone shrink: equal ones alike, greater ones stay greater, factors 2 and 7 stay."""
    path = tmp_path / "program.py"
    path.write_text(
        "def program(x):\n    return x.view(-1, 32)\n\n\n"
        "def get_inputs():\n    return [(12, 168, 500, 32, 4001), (168, 30522)]\n\n\n"
        "def get_init_inputs():\n    return [500]\n"
    )
    first, second = read_source(path, True)["get_inputs"]()
    assert first[0] == 12 and first[2:4] == (500, 32) and first[1] == second[0] and first[1] % 14 == 0
    assert first[1] < first[4] < second[1] < 100 and second[1] % 2 == 0
    assert read_source(path, False)["get_inputs"]()[1] == (168, 30522)


def test_small_sizes_that_a_program_names(tmp_path):
    """They stand for those of the constructor too, and no other number changes."""
    path = tmp_path / "program.py"
    text = "def get_inputs():\n    return [(500, 64)]\n\n\ndef get_init_inputs():\n    return [500, 168]\n"
    path.write_text(f"# small: 500=7\n\n\ndef program(x):\n    return x\n\n\n{text}")
    small = read_source(path, True)
    assert small["get_inputs"]() == [(7, 64)] and small["get_init_inputs"]() == [7, 168]
    assert read_source(path, False)["get_init_inputs"]() == [500, 168]


def row(program, run, ours, floor, **more):
    times = {"nereid": ours, "eager": 400.0, "compile": 200.0, "max-autotune": 150.0}
    times |= {f"{name} device": value for name, value in times.items()}
    head = {"program": program, "way": "forward", "run": run, "floor": floor, "error": 0.5, "gpu": "GPU", "torch": "2"}
    return head | times | more


def write_results(folder, rows):
    (folder / "results.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))


def test_table(tmp_path, capsys):
    failed = {"program": "c", "way": "forward", "run": 0, "problem": "no memory"}
    write_results(tmp_path, [row("a", 0, 100.0, 80.0), row("a", 1, 110.0, 80.0), row("b", 0, 50.0, 75.0), failed])
    (tmp_path / "programs.json").write_text(json.dumps({"d": {"files": {}, "refused": "no such operator"}}))
    gpu_table.print_table(tmp_path)
    printed = capsys.readouterr().out
    cells = [cell.strip() for cell in re.search(r"^\| a .*$", printed, re.M)[0].split("|")[1:-1]]
    assert cells[:4] == ["a", "105 (100 to 110)", "76% (73% to 80%)", "3.82x (3.64x to 4.00x)"]
    # What takes less time than its least bytes counts as 100 %.
    assert "| b | 50 | 100% [150%] | 8.00x | 4.00x | 3.00x |" in printed
    # Only programs of all runs count in the means.
    assert "Geometric means over 1, with the host: 76% (73% to 80%) of copy" in printed
    assert "failed: c forward run 0: no memory" in printed
    assert "refused: d: no such operator" in printed


def test_means_without_twins(tmp_path, capsys):
    """What has a twin that was tuned on counts in the first means alone."""
    write_results(tmp_path, [row("a", 0, 100.0, 80.0), row("b", 0, 50.0, 10.0)])
    twin, own = tmp_path / "a.py", tmp_path / "b.py"
    twin.write_text('"""Twin."""\n# surveyed: a\n\n\ndef a(x):\n    return x\n')
    own.write_text('"""Own."""\n\n\ndef b(x):\n    return x\n')
    programs = {"a": {"files": {}, "source": str(twin)}, "b": {"files": {}, "source": str(own)}}
    (tmp_path / "programs.json").write_text(json.dumps(programs))
    gpu_table.print_table(tmp_path)
    printed = capsys.readouterr().out
    assert "Geometric means over 2, with the host: 40% of copy" in printed
    assert "Geometric means over 1 without a surveyed twin, device: 20% of copy" in printed


def test_table_of_the_default_mode(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(gpu_table, "MODES", {"compile": None})
    write_results(tmp_path, [row("a", 0, 100.0, 80.0)])
    gpu_table.print_table(tmp_path)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1


def test_goes_on_where_it_stopped(tmp_path):
    assert gpu_table.get_pending(tmp_path, ["a", "b"], 2) == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
    write_results(tmp_path, [row("b", 0, 1.0, 1.0), row("a", 1, 1.0, 1.0)])
    assert gpu_table.get_pending(tmp_path, ["a", "b"], 2) == [(0, "a"), (1, "b")]


CHILD = """import json, sys, time
name = sys.argv[3]
print("a library says something")
if name == "dies":
    sys.exit("out of memory")
if name == "hangs":
    time.sleep(100)
print("ready", flush=True)
assert sys.stdin.readline() == "go\\n"
print(json.dumps({"program": name, "way": "forward", "run": int(sys.argv[5])}))
"""


def test_batches_go_on_without_what_dies_or_hangs(tmp_path, monkeypatch):
    (tmp_path / "child.py").write_text(CHILD)
    monkeypatch.setattr(gpu_table, "__file__", str(tmp_path / "child.py"))
    monkeypatch.setattr(gpu_table, "CACHE", tmp_path / "cache")
    entry = {"source": "", "files": {"forward": ""}}
    (tmp_path / "programs.json").write_text(json.dumps(dict.fromkeys(["a", "dies", "hangs", "z"], entry)))
    options = argparse.Namespace(seconds=60, least=1, only="", runs=2, jobs=3, preparing=2)
    gpu_table.measure_all(tmp_path, options)
    rows = {(row["program"], row["run"]): row.get("problem", "") for row in gpu_table.read_results(tmp_path)}
    assert len(rows) == 8
    for run in range(2):
        assert rows["a", run] == rows["z", run] == ""
        assert "out of memory" in rows["dies", run]
        assert rows["hangs", run] == "not ready in time"


def test_emit_tells_what_is_refused(nereid, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_table, "ROOT", tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gate.py").write_text(GATE)
    (programs / "product.py").write_text("import torch\n\n\ndef product(x):\n    return torch.linalg.eigh(x)\n\n\n")
    (programs / "product.py").open("a").write("def get_inputs():\n    return [torch.randn(8, 8)]\n")
    out = tmp_path / "out"
    out.mkdir()
    assert gpu_table.emit(out, programs, nereid.binary) == 2
    table = json.loads((out / "programs.json").read_text())
    assert set(table["gate"]["files"]) == {"forward", "backward"}
    assert table["product"]["files"] == {} and "eigh" in table["product"]["refused"]


@pytest.mark.parametrize("path", sorted((ROOT / "bench/held_out").glob("*.py")), ids=lambda path: path.stem)
def test_held_out_marks(path):
    """Marks name what the program has."""
    import ast

    tree, marks = ast.parse(path.read_text()), Marks(path)
    assert ast.get_docstring(tree)
    defined = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    program = defined[marks.name]
    if isinstance(program, ast.ClassDef):
        assert "get_init_inputs" in defined
        program = next(node for node in program.body if getattr(node, "name", "") == "forward")
    assert set(marks.constants) <= {argument.arg for argument in program.args.args}
    assert not marks.surveyed or (ROOT / "bench/survey" / f"{marks.surveyed}.py").exists()


def test_held_out_set_is_whole():
    paths = list((ROOT / "bench/held_out").glob("*.py"))
    assert len(paths) == 40
    assert sum(not Marks(path).is_forward for path in paths) >= 33
