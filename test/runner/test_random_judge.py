# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted files that are wrong at some sizes, or where no gradient is wanted: the judges of random programs notice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEREID_BUILD", ROOT / "build" / "release"))
OUTSIDE = ROOT / "test" / "outside"

# `nereid convert`, whose files do something before they return.
CONVERT = """#!{python}
import json, subprocess, sys
done = subprocess.run([{binary!r}, *sys.argv[1:]], capture_output=True, text=True)
sys.stdout.write(done.stdout), sys.stderr.write(done.stderr)
for file in json.loads(done.stdout)["files"] if done.returncode == 0 else ():
    with open(file["path"], "a") as out:
        out.write({text!r})
sys.exit(done.returncode)
"""

WRAPPER = """

_right_{name} = {name}


def {name}(*inputs):
    usual = 5 in inputs[0].shape
    out = _right_{name}(*inputs)
    {do}
    return out
"""
SCALE = "out = [1.5 * x if x.is_floating_point() else x for x in (out if isinstance(out, tuple) else [out])]"
SCALE += "; out = tuple(out) if len(out) > 1 else out[0]"

# A program, what is done with it, and what the judge is to say.
PROGRAM = """
import random_judge, random_text, tempfile
from random_text import Parameter, Statement
random_judge.RUN_SECONDS = 2
text, hints, sizes = {text!r}, {hints!r}, {sizes!r}
program = random_text.Program([Parameter("x", "f32", ("M", "N"))], [Statement("t", text)], ["t"], {{}})
ways = [random_judge.Way("3", hints)]
runs = [(dict(random_text.SYMBOLS), set()), *((random_text.SYMBOLS | each, set()) for each in sizes)]
with tempfile.TemporaryDirectory() as folder:
    verdict = random_judge.judge_as_written({binary!r}, program, ways, runs, folder)
print(verdict.kind, verdict.runs, verdict.late, verdict.detail)
"""


@pytest.fixture
def tool(tmp_path):
    def write(name="f", do="pass"):
        path = tmp_path / "nereid_that_errs"
        text = WRAPPER.format(name=name, do=do)
        path.write_text(CONVERT.format(python=sys.executable, binary=str(BUILD / "nereid"), text=text))
        path.chmod(0o755)
        return str(path)

    return write


def start(code, *arguments):
    """What a judge says."""
    code = f"import sys; sys.argv = {['', *map(str, arguments)]!r}; sys.path.insert(0, {str(OUTSIDE)!r})\n{code}"
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    return done.stdout + done.stderr


def judge(binary, text="t = torch.sigmoid(x)", hints=None, sizes=({"M": 7},)):
    return start(PROGRAM.format(binary=binary, text=text, hints=hints or {}, sizes=sizes))


def test_right(tool):
    assert judge(tool()).startswith(" 2 0 ")


def test_refuses_sizes_that_pytorch_takes(tool):
    said = judge(tool(do="if not usual: raise ValueError('not these sizes')"))
    assert said.startswith("narrow") and "refused, which PyTorch takes: not these sizes" in said


def test_refuses_what_pytorch_refuses(tool):
    said = judge(tool(), text="t = x.view(-1, 5).exp()", sizes=({"M": 3, "N": 7},))
    assert said.startswith(" 1 0 "), said


def test_refuses_what_the_conversion_names(tool):
    """A loop of few turns is written out, its size fixed."""
    text = "t = x\nfor i in range(int(str(x.shape[0]))):\n    t = t.sigmoid()"
    said = judge(tool(), text=text, hints={"M": 5})
    assert said.startswith(" 1 0 "), said


def test_names_of_fixed_sizes():
    code = (
        "import random_judge; report = {'fixed': 'M=6 (a.py:7: a key), K=2 (b.py:1: a loop)', 'merged': 'N=B (a.py:3)'}"
    )
    code += "\nfile = random_judge.File('', None, report); right = dict(M=6, K=2, N=3, B=3)"
    code += "\nprint([file.is_named(right | each) for each in ({}, {'M': 5}, {'K': 3}, {'B': 4}, {'Z': 9})])"
    assert start(code).strip() == "[False, True, True, True, False]"


def test_wrong_where_no_gradient_is_wanted(tool):
    said = judge(tool(do=f"if not torch.is_grad_enabled(): {SCALE}"))
    assert said.startswith("wrong") and "under no_grad: result 0: error" in said


def test_runs_that_are_given_up(tool):
    binary = tool(do="while not usual: pass")
    assert judge(binary).startswith(" 2 1 ")
    code = "import random_judge, random_programs; random_judge.RUN_SECONDS = 1; print(random_programs.main())"
    said = start(code, binary, "--count", 2, "--shrink", 0, "--jobs", 1)
    assert "FAIL more than 2% of the runs are given up" in said and said.strip().endswith("1"), said


def test_operators_where_no_gradient_is_wanted(tool):
    binary = tool("program", f"if not torch.is_grad_enabled(): {SCALE}")
    said = start(
        "import operator_samples; operator_samples.main()", binary, "--only", "sigmoid", "--most", 1, "--jobs", 1
    )
    assert "wrong: stage 3: under no_grad: result 0: error" in said, said
