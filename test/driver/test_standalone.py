# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An emitted file needs no file of the user's: what a constructor imports stands in it."""

import subprocess

from conftest import ROOT

HELPERS = """import math

from sizes import WIDTH as FULL


def _half(n):
    return n // 2


def make_width(n=FULL):
    return max(_half(n), math.ceil(n / 4))
"""

MODEL = """import torch
from torch import nn

from pkg.helpers import make_width as width_of


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(width_of()))

    def forward(self, x):
        return x * self.w
"""


def test_imported_helpers_are_inlined(nereid):
    (nereid.folder / "pkg").mkdir()
    nereid.write("pkg/__init__.py", "")
    nereid.write("pkg/helpers.py", HELPERS)
    nereid.write("sizes.py", "WIDTH = 16\n")
    nereid.write("model.py", MODEL)
    done = nereid("convert", "model.py", "--inputs", "x=f32[B,8]", "--stage", "2", "-o", "alone")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "alone/scale_stage2.py").read_text()
    assert "pkg" not in text.replace("model.py", "") and "import make_width" not in text
    code = "import scale_stage2 as s; assert s.Scale().w.shape == (8,)"
    done = subprocess.run(
        [str(ROOT / ".venv/bin/python"), "-c", code],
        cwd=nereid.folder / "alone",
        capture_output=True,
        text=True,
        env={"TRITON_INTERPRET": "1", "PATH": "/usr/bin:/bin", "HOME": str(nereid.folder)},
    )
    assert done.returncode == 0, done.stderr
