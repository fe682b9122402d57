# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The faults of test/outside/kernel_mutations.py: launches of today's files are found, and files without any are told.

The table of equivalent ones, mutants.txt, names statements of today's files.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEREID_BUILD", ROOT / "build" / "release"))
OUTSIDE = ROOT / "test" / "outside"
sys.path.insert(0, str(OUTSIDE))

import kernel_mutations  # noqa: E402
import mutants  # noqa: E402

# A command that converts as nereid does, into a file that launches its kernels in a way of which no rule knows.
OTHER_FORM = """#!{python}
import pathlib, re, subprocess, sys
done = subprocess.run(["{binary}", *sys.argv[1:]])
for path in pathlib.Path(sys.argv[-1]).glob("*_stage?.py") if sys.argv[1] == "convert" else ():
    text = path.read_text()
    path.write_text(re.sub(r"_kernel\\[(.*)\\]\\(", r"_kernel.__getitem__(\\1)(", text))
sys.exit(done.returncode)
"""


@pytest.fixture
def convert(tmp_path):
    def run(name, *more):
        command = [BUILD / "nereid", "convert", f"examples/{name}.py", "--stage", "3", *more, "-o", tmp_path]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        [path] = tmp_path.glob("*_stage?.py")
        return path.read_text()

    return run


def find(text, kind):
    """What is changed of a file's launches; each change leaves Python."""
    faults = [fault for fault in kernel_mutations.find(text) if fault.kind == kind]
    for fault in faults:
        assert ast.dump(ast.parse(fault.apply(text))) != ast.dump(ast.parse(text))
    return [(fault.kernel, fault.before, fault.after) for fault in faults]


def test_rows(convert):
    text = convert("softmax", "--backward")
    assert kernel_mutations.find_unlaunched(text) == []
    assert ("softmax_long_kernel", "M", "M - 1") in find(text, "grid")
    arguments = find(text, "argument")
    assert ("softmax_kernel", "*x.stride()", "*x.stride()[::-1]") in arguments
    assert ("softmax_kernel", "x, max_1", "max_1, x") in arguments


def test_tuned_blocks(convert):
    text = convert("scaled_bias_relu", "--backward")
    assert kernel_mutations.find_unlaunched(text) == []
    short = "lambda meta: (_blocks(M * N)(meta)[0] - 1,)"
    assert ("scaled_bias_relu_kernel", "_blocks(M * N)", short) in find(text, "grid")


def test_grid_with_a_name(convert):
    extent = "B * M * _cdiv(N, meta['BLOCK_M']) * _cdiv(C, meta['BLOCK_N'])"
    text = convert("nchw_to_nhwc")
    assert kernel_mutations.find_unlaunched(text) == []
    assert ("nchw_to_nhwc_kernel", extent, f"{extent} - 1") in find(text, "grid")


def test_launches_that_are_not_found(convert):
    text = convert("softmax")
    assert kernel_mutations.find_unlaunched(text.replace("_kernel[(M,)](", "_kernel.on((M,))(")) == [
        "no grid of softmax_kernel",
        "no grid of softmax_long_kernel",
        "no arguments of a launch",
    ]
    assert kernel_mutations.find_unlaunched(text.replace("_kernel[(M,)](", "_kernel[M](")) == [
        "no grid of softmax_kernel",
        "no grid of softmax_long_kernel",
    ]


def judge(binary):
    command = [sys.executable, OUTSIDE / "mutants.py", binary, "--only", "gelu_tanh", "--each", "3", "--show"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def test_program_without_launches_fails(tmp_path):
    status, said = judge(BUILD / "nereid")
    assert status == 0 and "3 noticed" in said, said
    other = tmp_path / "nereid"
    other.write_text(OTHER_FORM.format(python=sys.executable, binary=BUILD / "nereid"))
    other.chmod(0o755)
    status, said = judge(other)
    assert status == 1 and "no fault is made: no grid of gelu_tanh_kernel" in said, said
    assert "3 noticed" in said and "left out:" not in said, said


def test_table(tmp_path):
    identities = []
    for place, program in enumerate(mutants.PROGRAMS):
        command = [BUILD / "nereid", "convert", program.path, "--stage", str(program.stage)]
        command += ["--backward"] * program.backward + ["-o", tmp_path / str(place)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        [path] = (tmp_path / str(place)).glob("*_stage?.py")
        text = path.read_text()
        assert kernel_mutations.find_unlaunched(text) == [], program.name()
        identities += [f"{program.name()} | {fault.identity()}" for fault in kernel_mutations.find(text)]
    table = mutants.read_table()
    assert table and all(reason for _, reason in table)
    old = [pattern for pattern, _ in table if not any(mutants.matches(pattern, identity) for identity in identities)]
    assert old == []
