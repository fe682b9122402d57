# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one screen of README.md is what the tool prints and writes."""

import re
import shlex

from conftest import ROOT


def blocks():
    """The blocks of code between the heading and the next, each with its language."""
    screen = (ROOT / "README.md").read_text().split("\n## One screen\n")[1].split("\n## ")[0]
    return re.findall(r"```(\w*)\n(.*?)```", screen, re.S)


def command(block):
    first, printed = block.split("\n", 1)
    assert first.startswith("$ nereid ")
    return shlex.split(first)[2:], printed


def test_conversion(nereid):
    (_, program), (_, shown), (_, kernel), _ = blocks()
    nereid.write("softmax.py", "import torch\n\n\n" + program)
    arguments, printed = command(shown)
    result = nereid(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == printed
    written = (nereid.folder / "out/softmax_stage2.py").read_text()
    assert "\n" + kernel + "\n" in written


def test_wrong_spelling(nereid):
    *_, (_, shown) = blocks()
    arguments, printed = command(shown)
    statement = re.search(r"^ *(\d+) \|( .*)$", printed, re.M)
    head = ["import triton", "import triton.language as tl"]
    body = ["@triton.jit", "def relu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):"]
    body += ["    at = tl.arange(0, BLOCK)", "    x = tl.load(x_ptr + at, mask=at < n)", statement[2][1:]]
    nereid.write("relu.py", "\n".join(head + [""] * (int(statement[1]) - len(head + body)) + body) + "\n")
    result = nereid(*arguments)
    assert result.returncode == 2
    assert result.stderr == printed
