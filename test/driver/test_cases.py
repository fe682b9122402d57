# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose control flow depends on sizes, on flags of the call or on self.training."""

import json
import subprocess

import pytest

from conftest import ROOT

PROGRAMS = """import torch
from torch import nn


def by_length(x, y):
    if x.shape[-1] > 1024:
        return torch.relu(x) + y
    return x * 2 - y


def three_ways(x):
    n = x.size(0)
    if n == 1:
        return x + 1
    elif n % 2 == 0:
        return x[: n // 2] + x[n // 2 :]
    return x.sum(0, keepdim=True)


def equal_or_not(x, y):
    if x.size(0) == y.size(0):
        return x + y
    return x.sum(0) + y


def by_flag(x, causal=True):
    if causal and x.shape[0] > 3:
        return x.cumsum(0)
    return x * 3 if not causal else x


def ternary(x):
    scale = 2.0 if 64 <= x.size(1) < 128 or x.size(0) == 3 else 3.0
    return x * scale


def no_matter(x):
    if x.shape[0] > 7:
        y = x + 1
    else:
        y = x + 1
    return y


def raises(x, y):
    if x.shape[0] % 4 != 0:
        raise ValueError("rows come in fours")
    if x.shape[1] > y.shape[0]:
        check(y)
    return x + y[0]


def check(y):
    raise ValueError("y is too short")


class Trains(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        if self.training:
            return x * self.scale
        return x + 1


class Drops(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.never = nn.Dropout(0.0)

    def forward(self, x):
        return self.never(self.drop(x * 2))
"""

CASES = {
    "by_length": "x=f32[M,N],y=f32[M,N]",
    "three_ways": "x=f32[N]",
    "equal_or_not": "x=f32[M],y=f32[N]",
    "by_flag": "x=f32[N],causal=bool",
    "ternary": "x=f32[M,N]",
    "no_matter": "x=f32[N]",
    "raises": "x=f32[M,N],y=f32[K]",
    "Trains": "x=f32[B,8]",
    "Drops": "x=f32[B,N]",
}


@pytest.fixture
def programs(nereid):
    nereid.write("p.py", PROGRAMS)
    return nereid


@pytest.mark.parametrize("name", CASES)
def test_proved_and_valid(programs, name):
    done = programs("convert", f"p.py:{name}", "--inputs", CASES[name], "--json")
    assert done.returncode == 0, done.stderr
    for file in json.loads(done.stdout)["files"]:
        for kernel in file["kernels"]:
            assert kernel["proved"] == kernel["accesses"], kernel
    done = programs("validate", f"p.py:{name}", "--inputs", CASES[name], "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(stage["passed"] > 0 for stage in json.loads(done.stdout)["stages"])


# The calls run in a process of their own: upstream's interpreter is chosen before triton is imported.
CALLS = """
import upstream  # noqa: F401
import torch, loading, sys
from pathlib import Path
original = loading.load(Path("p.py"))
def emitted(name, stage):
    return getattr(loading.load(Path(f"{name}_stage{stage}.py")), exported[name])
exported = {"by_length": "by_length", "three_ways": "three_ways", "equal_or_not": "equal_or_not",
            "by_flag": "by_flag", "ternary": "ternary", "raises": "raises", "trains": "Trains", "drops": "Drops"}
def r(*shape):
    return torch.randn(*shape)
def same(a, b):
    assert a.shape == b.shape and torch.allclose(a, b, atol=1e-5), (a.shape, b.shape)
def raised(call):
    try:
        call()
    except ValueError as error:
        return str(error)
    raise AssertionError("nothing was raised")
for stage in (1, 2):
    for name, calls in {
        "by_length": [(r(3, 40), r(3, 40)), (r(2, 1025), r(2, 1025)), (r(2, 1024), r(2, 1024))],
        "three_ways": [(r(1),), (r(6),), (r(7),)],
        "equal_or_not": [(r(5), r(5)), (r(5), r(6))],
        "by_flag": [(r(5), True), (r(5), False), (r(2), True), (r(2), False)],
        "ternary": [(r(2, 63), ), (r(2, 64),), (r(2, 128),), (r(3, 5),)],
        "raises": [(r(4, 3), r(5)), (r(8, 5), r(5))],
    }.items():
        program = emitted(name, stage)
        for arguments in calls:
            same(program(*arguments), getattr(original, name)(*arguments))
    program = emitted("raises", stage)
    assert "must satisfy" in raised(lambda: program(r(5, 3), r(5)))
    assert "y is too short" in raised(lambda: program(r(4, 6), r(5)))
    module, x = emitted("trains", stage)(), r(4, 8)
    reference = original.Trains()
    same(module(x), reference(x))
    same(module.eval()(x), reference.eval()(x))
    drops = emitted("drops", stage)()
    found = drops(x, seed=7)
    kept = found != 0
    assert 0 < kept.sum() < x.numel() and torch.equal(found, torch.where(kept, x * 4, x * 0))
    torch.manual_seed(1)
    first = drops(x)
    torch.manual_seed(1)
    assert torch.equal(drops(x), first) and not torch.equal(first, found)
    same(drops.eval()(x), x * 2)
    same(drops.eval()(x, seed=7), x * 2)
    drops.drop.train()
    assert "self.drop.training: the kernels are made for False, found True" in raised(lambda: drops(x))
"""


def test_emitted_files_choose_as_the_original(programs):
    for name in CASES:
        assert programs("convert", f"p.py:{name}", "--inputs", CASES[name]).returncode == 0
    done = subprocess.run(
        [str(ROOT / ".venv/bin/python"), "-c", CALLS],
        cwd=programs.folder,
        env={"PYTHONPATH": str(ROOT / "test/outside"), "PATH": "/usr/bin:/bin", "HOME": str(programs.folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_equal_cases_are_one(programs):
    text = programs("compile", "p.py:no_matter", "--emit", "graph", "--inputs", CASES["no_matter"]).stdout
    assert "graph.cases" not in text and text.count("func.func") == 1


def test_too_many_cases(nereid):
    nereid.write("w.py", "def f(x):\n    n = x.shape[0]\n    while n > 1:\n        n = n // 2\n    return x * n\n")
    nereid.refuses(["convert", "w.py", "--inputs", "x=f32[N]"], "w.py:3:", "more than 16 cases", "^")


def test_too_many_empty_tensors(nereid):
    """Of five tensors each asks whether it has elements: calls with empty ones are refused."""
    names = ["a", "b", "c", "d", "e"]
    body = "".join(f"    {n} = {n} + 1 if {n}.numel() == 0 else {n} * 2\n" for n in names)
    nereid.write("e.py", f"def f({', '.join(names)}):\n{body}    return {', '.join(names)}\n")
    inputs = ",".join(f"{n}=f32[{n.upper()}]" for n in names)
    assert nereid("convert", "e.py", "--inputs", inputs, "--stage", "2").returncode == 0
    text = (nereid.folder / "f_stage2.py").read_text()
    assert "_require(A >= 1, " in text and text.count("empty tensors are not converted: too many cases") == 5


def test_branch_on_data(nereid):
    nereid.write("d.py", "def f(x):\n    if x.sum() > 0:\n        return x\n    return x[:1]\n")
    nereid.refuses(["convert", "d.py", "--inputs", "x=f32[N]"], "d.py:2:", "`the result` is float32[N] in one arm", "the same type and sizes")


def test_another_structure_in_one_case(nereid):
    nereid.write("s.py", "def f(x):\n    if x.shape[0] > 4:\n        return x, {'y': x + 1}\n    return x * 2\n")
    assert nereid("convert", "s.py", "--inputs", "x=f32[N]", "--stage", "2").returncode == 0
    text = (nereid.folder / "f_stage2.py").read_text()
    assert "(float32[N], {'y': float32[N]}), or float32[N]" in text
    assert 'return (out0, {"y": out1})' in text and "def _f(x: torch.Tensor):" in text


def test_another_store_in_one_case(nereid):
    body = "    if x.shape[0] > 4:\n        state['m'] = x + 1\n        return x, x * 2\n    return x * 2\n"
    nereid.write("s.py", "def f(x, state):\n" + body + "\n\ndef get_inputs():\n    import torch\n    return [torch.randn(9), {}]\n")
    nereid.refuses(["convert", "s.py:f"], "s.py:2:", "what the program stores is other in one case")


def test_probability_that_is_not_known(nereid):
    text = "import torch\n\n\ndef f(x, p):\n    return torch.nn.functional.dropout(x, p, True)\n"
    nereid.write("a.py", text)
    nereid.refuses(["convert", "a.py", "--inputs", "x=f32[N],p=f64"], "a.py:5:", "the probability of dropout")
