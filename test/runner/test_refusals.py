# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools that refuse what can be done: every judge that counts refusals fails, and names the operator."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEREID_BUILD", ROOT / "build" / "release"))

# `nereid convert` that refuses what has WORD in its source, and is the real one else.
CONVERT = """#!/bin/sh
source=${{2%%:*}}
if grep -q '{word}' "$source"; then echo "$2:1:1: error: not supported" >&2; exit 2; fi
exec {binary} "$@"
"""

# `nereid-graph --cases FILE` that does so.
CASES = """#!{python}
import json, subprocess, sys
cases = json.load(open(sys.argv[sys.argv.index("--cases") + 1]))
done = subprocess.run([{binary!r}, *sys.argv[1:]], capture_output=True, text=True, check=True)
answers = json.loads(done.stdout)
for place, case in enumerate(cases):
    if {word!r} in open(case["path"]).read():
        answers[place] = {{"kind": "import", "error": "not supported"}}
print(json.dumps(answers))
"""


@pytest.fixture
def tool(tmp_path):
    def write(text, program, word):
        path = tmp_path / f"{program}_that_refuses"
        path.write_text(text.format(word=word, binary=str(BUILD / program), python=sys.executable))
        path.chmod(0o755)
        return path

    return write


def run(script, *arguments):
    """The status of a judge and what it says."""
    command = [sys.executable, "-W", "ignore", ROOT / script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("word", "more"),
    [
        ("def case", ["--dtype", "f32"]),
        ("torch.cat(", ["--dtype", "f32"]),
        ("torch.cat(", ["--backward", "--dtype=f64"]),
    ],
)
def test_operators_in_the_graph(tool, word, more):
    refusing = tool(CASES, "nereid-graph", word)
    status, said = run("test/torch/opinfo.py", refusing, "--only", "cat", "--most", 3, *more)
    assert status == 1 and "FAIL cat (" in said
    # What is not refused is right.
    assert ("FAIL scatter" in said) == (word == "def case")


@pytest.mark.parametrize("word", ["def program", "torch.cat("])
def test_operators_as_kernels(tool, word):
    refusing = tool(CONVERT, "nereid", word)
    status, said = run("test/outside/operator_samples.py", refusing, "--only", "cat", "--most", 1)
    assert status == 1 and "FAIL cat (f32): 1 refused, expected are 0" in said
    assert ("FAIL scatter" in said) == (word == "def program")


def test_random_programs(tool):
    refusing = tool(CONVERT, "nereid", "def f")
    status, said = run("test/outside/random_programs.py", refusing, "--count", 2, "--shrink", 0)
    assert status == 1 and ": 0 right, " in said and "FAIL 2 programs are refused" in said


def test_programs(tool):
    refusing = tool(CONVERT, "nereid", "import torch")
    status, said = run("test/outside/programs.py", refusing, "--only", "abs")
    assert status == 1 and "not supported" in said and ": 0 right, " in said


def test_examples(tool):
    refusing = tool(CONVERT, "nereid", "import torch")
    for script in ("examples", "gradients", "emitted", "launches"):
        status, said = run(f"test/outside/{script}.py", refusing, "--only", "softmax")
        assert status == 1 and "FAIL softmax" in said and ": 0 right, " in said
