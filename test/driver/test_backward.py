# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--backward`: what is written, reported and refused. That gradients are right is judged in test/outside."""

import ast
import json

from snippets import SOFTMAX


def convert(nereid, text, inputs, *more):
    nereid.write("program.py", text)
    result = nereid("convert", "program.py", "--inputs", inputs, "--backward", "--json", *more)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    return report, [(nereid.folder / file["path"]).read_text() for file in report["files"]]


def test_report(nereid):
    report, texts = convert(nereid, SOFTMAX, "x=f32[M,N]")
    assert len(texts) >= 2
    for file, text in zip(report["files"], texts):
        assert file["backward"] is True
        names = [kernel["name"] for kernel in file["kernels"]]
        assert any("backward" in name for name in names)
        assert all(kernel["accesses"] == kernel["proved"] > 0 for kernel in file["kernels"])
        defined = {node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        assert set(names) <= defined and {"softmax", "_SoftmaxGradient"} <= defined
        assert "saving" not in text.split("\ndef softmax(x):")[1].split("# The command line")[0]


def test_without_the_flag_nothing_changes(nereid):
    nereid.write("program.py", SOFTMAX)
    result = nereid("convert", "program.py", "--inputs", "x=f32[M,N]", "--json")
    for file in json.loads(result.stdout)["files"]:
        assert file["backward"] is False
        text = (nereid.folder / file["path"]).read_text().split("# The command line")[0]
        assert "once_differentiable" not in text and "grad_out" not in text
        assert "no gradient is computed here: convert with --backward" in text


def test_gradients_that_are_at_hand_have_no_kernel(nereid):
    report, texts = convert(nereid, "def f(x, y):\n    return x + y\n", "x=f32[M],y=f32[M]")
    for file, text in zip(report["files"], texts):
        assert not any("backward" in kernel["name"] for kernel in file["kernels"])
        assert "grad_out if ctx.needs_input_grad[0] else None" in text


def test_validate(nereid):
    nereid.write("program.py", SOFTMAX)
    result = nereid("validate", "program.py", "--inputs", "x=f32[M,N]", "--backward", "--json", "--stage", 2, limit=300)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    [stage] = report["stages"]
    # The program, what saves, and the gradients, in 4 types: every other combination of 12 x 11 x 5 at size 64.
    assert report["valid"] and stage["passed"] >= 360 and stage["failed"] == 0


def refuses(nereid, text, inputs, *expected):
    nereid.write("program.py", text)
    for verb in ("convert", "validate"):
        nereid.refuses([verb, "program.py", "--inputs", inputs, "--backward"], *expected)


def test_mutated_input(nereid):
    text = "def f(x, y):\n    x.mul_(y)\n    return x.sum()\n"
    refuses(nereid, text, "x=f32[M],y=f32[M]", "program.py:", "'x' is mutated", "^")


def test_nothing_to_differentiate(nereid):
    text = "import torch\n\n\ndef f(x):\n    return x.argmax(-1)\n"
    refuses(nereid, text, "x=f32[M,N]", "program.py:4:1", "no result has a gradient")
    refuses(nereid, "def f(i):\n    return i + 1\n", "i=i64[M]", "program.py:1:1", "no argument needs a gradient")
    refuses(nereid, "def f(x):\n    return x.detach() * 2\n", "x=f32[M]", "program.py:1:1", "no result has a gradient")
