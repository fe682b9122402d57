# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are expressions, in the program and in --inputs."""

import json

import pytest

PROGRAMS = """import torch


def halves(x):
    a, b = x.chunk(2, dim=-1)
    return a * torch.sigmoid(b)


def thirds(x):
    a, b, c = x.split(x.shape[-1] // 3, dim=-1)
    return a + b * c


def rows(x):
    a, b, c = x.unbind(0)
    return a * b + c


def groups(x):
    return x.view(x.shape[0], -1, 64).amax(-1)


def heads(x):
    B, T, C = x.shape
    return x.reshape(B, T, 8, C // 8).transpose(1, 2).sum(-1)


def even_and_odd(x):
    return x[..., ::2] * x[..., 1::2]
"""


@pytest.mark.parametrize(
    "name, inputs",
    [
        ("halves", "x=f32[M,N]"),
        ("halves", "x=f32[M,2*N]"),
        ("halves", "x=f32[M,2*N+2]"),
        ("thirds", "x=f32[M,N]"),
        ("rows", "x=f32[3,N]"),
        ("groups", "x=f32[B,N]"),
        ("heads", "x=f32[B,T,C]"),
        ("heads", "x=f32[B,T,8*D]"),
        ("even_and_odd", "x=f32[M,N]"),
        ("even_and_odd", "x=f32[M,2*N]"),
    ],
)
def test_proved_and_valid(nereid, name, inputs):
    nereid.write("s.py", PROGRAMS)
    done = nereid("convert", f"s.py:{name}", "--inputs", inputs, "--json")
    assert done.returncode == 0, done.stderr
    for file in json.loads(done.stdout)["files"]:
        for kernel in file["kernels"]:
            assert kernel["proved"] == kernel["accesses"], kernel
    done = nereid("validate", f"s.py:{name}", "--inputs", inputs, "--json", "--stage", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(stage["passed"] >= 100 for stage in json.loads(done.stdout)["stages"]), done.stdout


def test_the_wrapper_says_what_a_size_must_be(nereid):
    nereid.write("s.py", PROGRAMS)
    nereid("convert", "s.py:halves", "--inputs", "x=f32[M,2*N]", "--stage", "2")
    text = (nereid.folder / "halves_stage2.py").read_text()
    assert "must have a size of the form 2*N" in text


def test_a_size_that_nothing_tells(nereid):
    nereid.write("s.py", PROGRAMS)
    nereid.refuses(["convert", "s.py:halves", "--inputs", "x=f32[M,M*N]"], "--inputs:1:", "'M*N'", "what N is", "^")


def test_pieces_of_an_unknown_number(nereid):
    nereid.write("p.py", "def f(x):\n    return sum(p.sum(-1) for p in x.split(64, dim=1))\n")
    nereid.refuses(["convert", "p.py", "--inputs", "x=f32[M,N]"], "p.py:2:", "the number of pieces", "^")
