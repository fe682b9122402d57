# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/limits.md says is refused is refused, with what it says."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT

PROGRAM = """import torch
import torch.nn.functional as F
from torch import nn


def program(x, y, w, i):
    return {}
"""

INPUTS = "x=f32[M,N],y=f32[M,N],w=f32[M,M,3],i=i64[M]<8"


def find_rows():
    section = (ROOT / "docs/limits.md").read_text().split("\n## Not converted\n")[1].split("\n## ")[0]
    return re.findall(r"^\|.*\| `([^`]+)` \| `([^`]+)` \|$", section, re.M)


def test_every_row_is_read():
    section = (ROOT / "docs/limits.md").read_text().split("\n## Not converted\n")[1].split("\n## ")[0]
    assert len(find_rows()) == len(re.findall(r"^\|", section, re.M)) - 2 > 15


@pytest.mark.parametrize(("written", "says"), find_rows())
def test_is_refused(nereid, written, says):
    nereid.write("program.py", PROGRAM.format(written))
    nereid.refuses(["convert", "program.py:program", "--inputs", INPUTS], "program.py:", says)


def test_bad_indices(nereid):
    """Read as 0, written nowhere, in the interpreter that checks every access."""
    text = "import torch\n\n\ndef look(w, i, x):\n    return w[i], torch.zeros_like(w).index_add(0, i, x)\n"
    nereid.write("look.py", text)
    assert nereid("convert", "look.py", "--inputs", "w=f32[V,3],i=i64[B],x=f32[B,3]", "-o", "out").returncode == 0
    judge = """import os, sys, importlib.util
os.environ["TRITON_INTERPRET"] = "1"
import torch
spec = importlib.util.spec_from_file_location("emitted", "out/look_stage3.py")
emitted = importlib.util.module_from_spec(spec)
spec.loader.exec_module(emitted)
w, x = torch.arange(12.0).view(4, 3) + 1, torch.ones(4, 3)
read, written = emitted.look(w, torch.tensor([0, 9, -1, -7]), x)
assert torch.equal(read, torch.stack([w[0], 0 * w[0], w[3], 0 * w[0]])), read
assert torch.equal(written, torch.tensor([[1.0] * 3] + [[0.0] * 3] * 3)), written
"""
    nereid.write("judge.py", judge)
    done = subprocess.run([sys.executable, "judge.py"], cwd=nereid.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
