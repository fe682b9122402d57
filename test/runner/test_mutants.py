# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted files that are wrong: `--validate` and the judges of examples and gradients notice."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEREID_BUILD", ROOT / "build" / "release"))
OUTSIDE = ROOT / "test" / "outside"

SOURCE = """import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)

    def forward(self, x):
        return self.norm(x)


class Batch(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.BatchNorm1d(n)

    def forward(self, x):
        return self.norm(x)


def divergence(p, q):
    return F.kl_div(p.log_softmax(-1), q.log_softmax(-1), log_target=True, reduction="sum")


def likelihood(x, y, var):
    return F.gaussian_nll_loss(x, y, var)


def double(x):
    return x + x


def padded(x):
    allowed = torch.ones(x.shape[-1], x.shape[-1], dtype=torch.bool).tril(-1)
    return F.dropout(x.masked_fill(~allowed, float("-inf")).softmax(-1), 0.1)
"""

# A file's own command line, or a judge, under upstream's mended interpreter.
VALIDATE = "import os, runpy, upstream; sys.path.insert(0, os.path.dirname(sys.argv[0]));"
VALIDATE += "runpy.run_path(sys.argv[0], run_name='__main__')"
JUDGE = "import upstream, {0}; said = {0}.judge(sys.argv[1:]); print(said); sys.exit(bool(said))"


@pytest.fixture
def convert(tmp_path):
    source = tmp_path / "source.py"

    def run(name, spec, *more, inputs=""):
        source.write_text(SOURCE + inputs)
        command = [BUILD / "nereid", "convert", f"{source}:{name}", "--inputs", spec, "--stage", "2", *more]
        done = subprocess.run([*command, "-o", tmp_path / "out"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        [path] = (tmp_path / "out").glob("*_stage?.py")
        return path

    return run


def start(code, *arguments):
    code = f"import sys; sys.argv = {[str(x) for x in arguments]!r}; sys.path.insert(0, {str(OUTSIDE)!r}); {code}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout + done.stderr


def validate(path):
    return start(VALIDATE, path, "--validate", "--reference", path.parents[1] / "source.py")


def change(path, pattern, text):
    """The file with what matches replaced."""
    before = path.read_text()
    after, count = re.subn(pattern, text, before)
    assert count, f"nothing matches {pattern} in\n{before}"
    path.write_text(after)


def test_right_files(convert):
    for name, spec, more in [
        ("Batch", "x=f32[M,6]", ("--init", "6", "--backward")),
        ("likelihood", "x=f32[M,N],y=f32[M,N],var=f32[M,N]", ()),
    ]:
        path = convert(name, spec, *more)
        status, said = validate(path)
        assert status == 0 and "raises" not in said and "refused" not in said, said
        path.unlink()


GETTERS = """

def get_inputs():
    return [torch.randn(7, 6)]


def get_init_inputs():
    return [6]
"""


def test_weight_that_is_forgotten(convert):
    path = convert("Norm", "x=f32[M,6]", "--init", "6", "--backward", inputs=GETTERS)
    right = path.read_text()
    # Each judge once: they take ten seconds.
    for pattern, judges in [(r" \* norm_weight\b(?!_)", ["examples"]), (r" \+ norm_bias\b(?!_)", ["gradients"])]:
        path.write_text(right)
        change(path, pattern, "")
        status, said = validate(path)
        assert status == 1 and "errors of up to" in said, said
        for judge in judges:
            status, said = start(JUDGE.format(judge), "", path, path.parents[1] / "source.py", "Norm")
            assert status == 1 and "error" in said, said


def test_statistics_that_are_not_kept(convert):
    path = convert("Batch", "x=f32[M,6]", "--init", "6")
    change(path, r"\b_write\(state, results\[1:\]\)", "pass")
    status, said = validate(path)
    assert status == 1 and "training: 1 elements differ; errors of up to" in said, said


def test_kernel_without_gradients(convert):
    path = convert("divergence", "p=f32[M,N],q=f32[M,N]", "--backward")
    text = path.read_text()
    # Only what runs where no gradient is wanted.
    kernel = re.search(r"def divergence\w*_kernel\([\s\S]*?(?=\n\n\n)", text)[0]
    assert "saving" not in kernel.split("(")[0] and "tl.log(" in kernel
    path.write_text(text.replace(kernel, kernel.replace("tl.log(", "0.5 * tl.log(")))
    status, said = validate(path)
    assert status == 1 and "errors of up to" in said, said


def test_wrapper_that_is_too_strict(convert):
    path = convert("double", "x=f32[M,N]")
    change(path, r"\n( +)(out = x\.new_empty)", r"\n\1if M == 64:\n\1    raise ValueError('strict')\n\1\2")
    status, said = validate(path)
    assert status == 1 and "refused: strict" in said, said


def test_too_little_ran(convert):
    path = convert("double", "x=f32[M,N]", "--size", "M=60", "--size", "N=7")
    source = path.parents[1] / "source.py"
    # An original that takes its typical sizes alone, though all are tried as multiples.
    source.write_text(SOURCE.replace("    return x + x\n", "    return x.view(60, -1).view_as(x) + x\n"))
    status, said = validate(path)
    assert status == 1 and "0 wrong, " in said and "too little ran" in said, said


def test_nan_is_nan(convert):
    status, said = validate(convert("padded", "x=f32[M,8,8]", "--size", "M=2"))
    assert status == 0, said
