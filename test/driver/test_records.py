# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses and named tuples as inputs and results."""

import pytest

RECORDS = """from dataclasses import dataclass
from typing import NamedTuple

import torch


@dataclass
class Batch:
    x: torch.Tensor
    scale: float = 1.0


class Output(NamedTuple):
    loss: torch.Tensor
    probabilities: torch.Tensor


def step(batch):
    p = (batch.x * batch.scale).softmax(-1)
    return Output(loss=-p.log().mean(), probabilities=p)
"""

GIVEN = "\n\ndef get_inputs():\n    return [Batch(torch.randn(4, 8), 2.0)]\n"


def check(nereid, *arguments):
    done = nereid("convert", "records.py", "--stage", "2", *arguments)
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "step_stage2.py").read_text()
    assert "class Output(NamedTuple):" in text and "return Output(loss=out0, probabilities=out1)" in text
    # The record's number is read at each call.
    assert "_step(batch.x, batch.scale)" in text or ", batch.scale" in text
    check = (nereid.folder / "step_check.py").read_text()
    assert '"batch": _FILE.Batch(x=make((M, N), torch.float32), scale=2.0)' in check


def test_a_record_from_get_inputs(nereid):
    nereid.write("records.py", RECORDS + GIVEN)
    check(nereid)


def test_a_record_from_the_command_line(nereid):
    nereid.write("records.py", RECORDS)
    check(nereid, "--inputs", "batch=Batch(x=f32[4,8], scale=2.0)")


def test_an_unknown_class_is_told(nereid):
    nereid.write("records.py", RECORDS)
    done = nereid("convert", "records.py", "--inputs", "batch=Bunch(x=f32[4,8])")
    assert done.returncode == 2
    assert "the file has no class 'Bunch'" in done.stderr


LOCAL_CLASS = "def f(x):\n    class Plain:\n        pass\n\n    out = Plain()\n    out.x = x\n    return out\n"
LOCAL_FACTORY = """import collections


def f(x):
    d = collections.defaultdict(lambda: 3)
    d[0] = x
    return d
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOCAL_CLASS, "the program returns a Plain, which is not supported"),
        (LOCAL_FACTORY, "the program returns a defaultdict whose factory has no name"),
    ],
)
def test_a_result_that_cannot_be_made_is_told(nereid, text, said):
    nereid.write("records.py", text)
    done = nereid("convert", "records.py", "--inputs", "x=f32[4]")
    assert done.returncode == 2 and said in done.stderr


def test_ordered_dicts_and_name_spaces_are_results(nereid):
    text = (
        "import collections\nimport types\n\n\ndef f(x):\n"
        "    inner = types.SimpleNamespace(a=x * 2, b=3)\n    return collections.OrderedDict(one=x + 1, two=inner)\n"
    )
    nereid.write("records.py", text)
    done = nereid("convert", "records.py", "--stage", "2", "--inputs", "x=f32[4]")
    assert done.returncode == 0, done.stderr
    text = (nereid.folder / "f_stage2.py").read_text()
    assert "import collections" in text and "import types" in text
    result = 'collections.OrderedDict({"one":out0,"two":types.SimpleNamespace(a=out1,b=3)})'
    assert result in "".join(text.split())
