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


def test_kernels_are_chosen_for_more_than_small_inputs(nereid):
    program = "import torch\n\n\ndef f(x):\n    return (x * x).sum()\n\n\ndef get_inputs():\n    return [torch.randn(3, 7)]\n"
    nereid.write("p.py", program)
    done = nereid("convert", "p.py", "--stage", "3", "-o", "out")
    assert "small inputs: kernels are chosen for M=1536, N=3584 (--size names others)" in done.stdout
    split = (nereid.folder / "out/f_stage3.py").read_text()
    assert "_partial" in split and "def _inputs(make, M=3, N=7):" in split
    done = nereid("convert", "p.py", "--stage", "3", "-o", "out", "--size", "M=3", "--json")
    assert "planned" not in json.loads(done.stdout)
    assert "_partial" not in (nereid.folder / "out/f_stage3.py").read_text()


def test_inputs_are_those_of_the_first_case_in_the_order_of_the_call(nereid):
    program = (
        "import torch\n\n\ndef f(batch, y):\n    if y.shape[0] > 2:\n        return batch['x'] * y\n"
        "    return batch['x'] - batch['mask']\n\n\n"
        "def get_inputs():\n    return [{'x': torch.randn(5), 'mask': torch.randn(5)}, torch.randn(5)]\n"
    )
    nereid.write("p.py", program)
    assert nereid("convert", "p.py", "--stage", "2", "-o", "out").returncode == 0
    text = (nereid.folder / "out/f_stage2.py").read_text()
    start = text.index("def _inputs(make, ")
    assert 0 < text.index('"x": make((', start) < text.index('"mask": make((', start)
    assert "=64" not in text[start : text.index(":", start)]


@pytest.mark.parametrize(("share", "expected"), [("0.3", "3 * N // 10"), ("0.25", "N // 4"), ("0.7", None)])
def test_a_share_of_a_size_is_a_quotient_where_floats_round_as_it(nereid, share, expected):
    nereid.write("p.py", f"def f(x):\n    return x[: max(1, int({share} * x.shape[0]))]\n")
    assert nereid("convert", "p.py", "--inputs", "x=f32[40]", "--stage", "2", "-o", "out").returncode == 0
    text = (nereid.folder / "out/f_stage2.py").read_text()
    # int(0.7 * 90) is 62: the size is fixed.
    assert (expected in text) if expected else ('_check_shape("x", x, (40,))' in text)


def test_sizes_are_returned_by_the_shapes_of_arguments(nereid):
    nereid.write("p.py", "def f(x, n: int = 2):\n    B, C, H, W = x.shape\n    return x * 2, H, (W // n, B * C), x.numel()\n")
    assert nereid("convert", "p.py", "--inputs", "x=f32[2,3,4,6]", "--stage", "2", "-o", "out").returncode == 0
    text = (nereid.folder / "out/f_stage2.py").read_text()
    assert "(float32[B, C, M, N], int, (int, int), int)" in text
    assert "x.shape[2]," in text and "(x.shape[3] // 2, x.shape[0] * x.shape[1])" in text
